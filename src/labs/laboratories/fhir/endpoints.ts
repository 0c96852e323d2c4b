import { Type } from 'typebox';
import { endpoint } from '../../../http/endpoint.ts';
import { fhir } from '../../../http/media.ts';
import { Uuid } from '../../../wire/schema.ts';
import { orderAsFhir } from './order.ts';
import { resultsAsFhir } from './results.ts';
import { FhirBundle } from './schemas.ts';

const params = Type.Object({ order_id: Uuid });

export const fhirEndpoints = [
  endpoint({
    id: 'get_order_as_fhir',
    method: 'GET',
    path: '/v3/order/{order_id}/fhir',
    tag: 'orders',
    params,
    response: fhir(FhirBundle),
    summary: 'Read an order as FHIR R4',
    description:
      'A Bundle of type collection: the ServiceRequest first, with its Patient, Practitioner, the Organization of the laboratory and ' +
      'the Specimen, as far as they are known. An order that was cancelled or failed is revoked.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { order_id } }) => orderAsFhir(ctx, order_id) as never,
  }),
  endpoint({
    id: 'get_results_as_fhir',
    method: 'GET',
    path: '/v3/order/{order_id}/result/fhir',
    tag: 'results',
    params,
    response: fhir(FhirBundle),
    summary: 'Read the results of an order as FHIR R4',
    description:
      'A Bundle of type collection: the DiagnosticReport first, an Observation for each result (LOINC where the laboratory has told it, ' +
      'units of UCUM as told) and for each that is missing, which is cancelled (entered-in-error where the laboratory took it back) and says why in dataAbsentReason, then the order. ' +
      'Before the laboratory has reported: 404 results_not_available.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available'],
    handle: (ctx, { params: { order_id } }) => resultsAsFhir(ctx, order_id) as never,
  }),
];
