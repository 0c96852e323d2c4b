import { operation } from '../../../operation/operation.ts';
import { convertCompendium } from './convert.ts';
import {
  CompendiumConversion,
  CompendiumConversionAnswer,
  CompendiumSearch,
  CompendiumSearchAnswer,
} from './schemas.ts';
import { searchCompendium } from './search-compendium.ts';

const tag = 'lab_tests';

export const compendiumOperations = [
  operation({
    id: 'search_compendium',
    method: 'POST',
    path: '/v3/compendium/search',
    tag,
    readsOnly: true,
    body: CompendiumSearch,
    response: CompendiumSearchAnswer,
    summary: 'Search the markers of laboratories by what they measure',
    description:
      'Two markers count as the same if they bring observations with the same LOINC codes, whatever their names ' +
      'and order codes are. A crosswalk lists the markers of each laboratory that bring the same observations.',
    handle: (ctx, { body }) => searchCompendium(ctx, body),
  }),
  operation({
    id: 'convert_compendium',
    method: 'POST',
    path: '/v3/compendium/convert',
    tag,
    readsOnly: true,
    body: CompendiumConversion,
    response: CompendiumConversionAnswer,
    summary: 'Find what to order at another laboratory',
    description:
      'Lists for each order code the markers of the other laboratory that share its LOINC codes. A marker that ' +
      'brings all of them converts the code. A code without such a marker is unresolved.',
    refusals: ['not_found'],
    handle: (ctx, { body }) => convertCompendium(ctx, body),
  }),
];
