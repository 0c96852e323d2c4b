import { endpoint } from '../../../http/endpoint.ts';
import { convertCompendium } from './convert.ts';
import {
  CompendiumConversion,
  CompendiumConversionAnswer,
  CompendiumSearch,
  CompendiumSearchAnswer,
} from './schemas.ts';
import { searchCompendium } from './search.ts';

const tag = 'lab_tests';

export const compendiumEndpoints = [
  endpoint({
    id: 'search_compendium',
    method: 'POST',
    path: '/v3/compendium/search',
    tag,
    readsOnly: true,
    body: CompendiumSearch,
    response: CompendiumSearchAnswer,
    summary: "Search the laboratories' offers by what they measure",
    description:
      'Two markers are the same where they bring observations of the same LOINC codes, whatever their names and order ' +
      'codes are. A crosswalk tells which markers of each laboratory bring what was found.',
    handle: (ctx, { body }) => searchCompendium(ctx, body),
  }),
  endpoint({
    id: 'convert_compendium',
    method: 'POST',
    path: '/v3/compendium/convert',
    tag,
    readsOnly: true,
    body: CompendiumConversion,
    response: CompendiumConversionAnswer,
    summary: 'Find what to order at another laboratory',
    description:
      'For each order code the markers of the other laboratory that share its LOINC codes. One that brings all of them ' +
      'converts it; what nothing there brings whole is unresolved.',
    refusals: ['not_found'],
    handle: (ctx, { body }) => convertCompendium(ctx, body),
  }),
];
