import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { fhir } from '../../../operation/media.ts';
import { Uuid } from '../../../wire/schema.ts';
import { orderAsFhir } from './order-as-fhir.ts';
import { resultsAsFhir } from './results-as-fhir.ts';
import { FhirBundle } from './schemas.ts';

const params = Type.Object({ order_id: Uuid });

export const fhirOperations = [
  operation({
    id: 'get_order_as_fhir',
    method: 'GET',
    path: '/v3/order/{order_id}/fhir',
    tag: 'orders',
    params,
    response: fhir(FhirBundle),
    summary: 'Read an order as FHIR R4',
    description:
      'A Bundle of type collection. The ServiceRequest comes first, then its Patient, Practitioner, the Organization ' +
      'of the laboratory and the Specimen, as far as they are known. A cancelled or failed order is revoked.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { order_id } }) => orderAsFhir(ctx, order_id) as never,
  }),
  operation({
    id: 'get_results_as_fhir',
    method: 'GET',
    path: '/v3/order/{order_id}/result/fhir',
    tag: 'results',
    params,
    response: fhir(FhirBundle),
    summary: 'Read the results of an order as FHIR R4',
    description:
      'A Bundle of type collection. The DiagnosticReport comes first, then an Observation for each result, then the ' +
      'order. A result has a LOINC code if the laboratory sent one, and its UCUM unit as the laboratory sent it. A ' +
      'missing result is an Observation with the status cancelled, or entered-in-error if the laboratory withdrew ' +
      'it, and has the reason in dataAbsentReason. Before the laboratory has reported, the response is 404 ' +
      'results_not_available.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available'],
    handle: (ctx, { params: { order_id } }) => resultsAsFhir(ctx, order_id) as never,
  }),
];
