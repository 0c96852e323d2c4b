import type { Bundle, FhirResource, ServiceRequest, Specimen } from 'fhir/r4.js';
import type { TeamCtx } from '../../../context.ts';
import { loadOrder, type LoadedOrder } from '../../orders/load-order.ts';
import { partsOf } from '../../orders/status/statuses.ts';
import { identifiersOf, numbersOf, type OrderNumbers } from './numbers.ts';
import { organizationIdOf, organizationOf, patientOf, practitionerOf } from './people.ts';
import { collectionOf, idOf, referTo } from './references.ts';

const LABORATORY_PROCEDURE = { system: 'http://snomed.info/sct', code: '108252007', display: 'Laboratory procedure' };
const IDENTIFIERS = 'http://terminology.hl7.org/CodeSystem/v2-0203';

/** Writes an order as FHIR R4: the request with its patient, physician, laboratory and specimen. */
export async function orderAsFhir(ctx: TeamCtx, orderId: string): Promise<Bundle> {
  const order = await loadOrder(ctx, orderId);
  const numbers = await numbersOf(ctx, order);
  return collectionOf(idOf(order.row.id, 'order'), order.row.updated_at, resourcesOf(order, numbers));
}

/** The facts that we know about the sample of an order. */
type Sample = { sampleId: string | null; collected?: string | null; received?: string | null };

/** Returns the resources that the FHIR of an order and the FHIR of its results both contain. */
export function resourcesOf(
  order: LoadedOrder,
  numbers: OrderNumbers,
  sample: Sample = { sampleId: order.row.sample_id },
): FhirResource[] {
  const { row, labTest } = order;
  const [practitioner, specimen] = [practitionerOf(order), specimenOf(order, sample)];
  return [
    requestOf(order, { numbers, practitioner: practitioner?.id ?? null, specimen: specimen?.id ?? null }),
    patientOf(order),
    ...(practitioner ? [practitioner] : []),
    ...(labTest.lab ? [organizationOf(row.id, labTest.lab.name)] : []),
    ...(specimen ? [specimen] : []),
  ];
}

/**
 * Returns the FHIR status of an order. An order that ended without results is `revoked`, because R4 has no status for a
 * failed request.
 */
function statusOf({ row }: LoadedOrder): ServiceRequest['status'] {
  const { top } = partsOf(row.last_status);
  if (top === 'completed') return 'completed';
  return top === 'cancelled' || top === 'failed' ? 'revoked' : 'active';
}

type Related = { practitioner: string | null; specimen: string | null; numbers: OrderNumbers };

function requestOf(order: LoadedOrder, { practitioner, specimen, numbers }: Related): ServiceRequest {
  const { row, labTest } = order;
  return {
    resourceType: 'ServiceRequest',
    id: row.id,
    identifier: [
      { type: { coding: [{ system: IDENTIFIERS, code: 'PLAC' }] }, value: row.id },
      ...identifiersOf(numbers, 'placer', 'filler'),
    ],
    requisition: { value: row.order_transaction_id },
    status: statusOf(order),
    intent: 'order',
    category: [{ coding: [LABORATORY_PROCEDURE] }],
    priority: row.priority ? 'urgent' : 'routine',
    code: { text: labTest.name },
    subject: referTo(row.user_id),
    authoredOn: row.created_at,
    ...(row.activate_by !== null && { occurrenceDateTime: row.activate_by }),
    ...(practitioner !== null && { requester: referTo(practitioner) }),
    ...(labTest.lab && { performer: [referTo(organizationIdOf(row.id, labTest.lab.name))] }),
    ...(specimen !== null && { specimen: [referTo(specimen)] }),
    ...(row.icd_codes && {
      reasonCode: row.icd_codes.map((code) => ({
        coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code }],
      })),
    }),
    ...(row.clinical_notes !== null && { note: [{ text: row.clinical_notes }] }),
  };
}

export const specimenIdOf = (orderId: string, sampleId: string): string => idOf(orderId, 'specimen', sampleId);

function specimenOf({ row, labTest }: LoadedOrder, { sampleId, collected, received }: Sample): Specimen | null {
  if (sampleId === null) return null;
  return {
    resourceType: 'Specimen',
    id: specimenIdOf(row.id, sampleId),
    identifier: [{ value: sampleId }],
    type: { text: labTest.sample_type },
    subject: referTo(row.user_id),
    request: [referTo(row.id)],
    ...(collected && { collection: { collectedDateTime: collected } }),
    ...(received && { receivedTime: received }),
  };
}
