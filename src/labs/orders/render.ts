import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { expectedResults } from './expected-results.ts';
import type { ListedOrder, LoadedOrder, OrderEventRow, Sibling } from './load-order.ts';
import type { Order, OrderAnswer, OrderInFull, OrderTransaction, OrderTransactionSummary } from './schemas.ts';
import { requisitionEvent } from './requisition-event.ts';
import { partsOf } from './status/statuses.ts';
import { transactionStatus } from './status/transaction-status.ts';

/**
 * How much of the patient a response shows. `all` means all data that we have. `minimum` means the date of birth, the
 * gender, and the address without the access notes.
 */
export type PatientShown = 'all' | 'minimum';

/**
 * Returns how much of a patient the lists and events of the team show. The default is the minimum. A team can choose
 * `all` in its settings.
 */
export const shownWidely = ({ team }: TeamCtx): PatientShown =>
  team.settings.full_patient_details_in_webhooks ? 'all' : 'minimum';

type PatientDetails = NonNullable<Static<typeof Order>['patient_details']>;

/**
 * Returns an order in the form of the API. `events` may contain only the first events of the order. The result then
 * shows the order as it was after the last of these.
 */
export function renderOrder(
  order: ListedOrder,
  shown: PatientShown,
  events: OrderEventRow[] = order.events,
): Static<typeof Order> {
  const { row } = order;
  const last = events.at(-1) as OrderEventRow;
  const updated_at = events.length === order.events.length ? row.updated_at : last.created_at;
  const { expected_result_by_date, worst_case_result_by_date } = expectedResults(order, events);
  // We list every key here. A copy of the row with some replaced keys would take ten times as long, and a page has up
  // to a hundred rows.
  return {
    id: row.id,
    team_id: row.team_id,
    user_id: row.user_id,
    patient_details: renderPatient(row.patient_details, shown),
    patient_address: renderAddress(row.patient_address, shown),
    shipping_details: row.shipping_details,
    lab_test: order.labTest,
    details: renderDetails(order, updated_at),
    sample_id: row.sample_id,
    notes: row.notes,
    clinical_notes: row.clinical_notes,
    created_at: row.created_at,
    updated_at,
    events,
    status: partsOf(last.status).top,
    last_event: last,
    physician: row.physician,
    health_insurance_id: row.health_insurance_id,
    requisition_form_url: requisitionEvent(events) ? order.requisitionUrl.ofKey : null,
    priority: row.priority,
    activate_by: row.activate_by,
    passthrough: row.passthrough,
    billing_type: row.billing_type,
    icd_codes: row.icd_codes,
    has_abn: row.has_abn,
    interpretation: row.interpretation,
    has_missing_results: row.has_missing_results,
    has_results_in_review: order.inReview,
    expected_result_by_date,
    worst_case_result_by_date,
    origin: row.origin,
    order_transaction: renderTransaction(order, last, updated_at),
  };
}

/** Returns the response of an operation that makes or changes an order. */
export const orderAnswer = (order: LoadedOrder, message: string): Static<typeof OrderAnswer> => ({
  order: renderOrder(order, 'all'),
  status: 'success',
  message,
});

function renderDetails(
  { row, shipment, appointment_id }: ListedOrder,
  updated_at: string,
): Static<typeof Order>['details'] {
  const { method: type, details_id: id, created_at } = row;
  const data = { id, created_at, updated_at };
  return { type, data: type === 'testkit' ? { ...data, shipment } : { ...data, appointment_id } };
}

export function renderOrderInFull(
  order: LoadedOrder,
  shown: PatientShown,
  events: OrderEventRow[] = order.events,
): Static<typeof OrderInFull> {
  return { ...renderOrder(order, shown, events), health_insurace_id: order.row.health_insurance_id };
}

/** Returns the order in the form in which an event shows it. The order appears as it was after the last of `events`. */
export const renderOrderOfEvent = (
  order: LoadedOrder,
  shown: PatientShown,
  events: OrderEventRow[],
): Static<typeof OrderInFull> => ({
  ...renderOrderInFull(order, shown, events),
  requisition_form_url: requisitionEvent(events) ? order.requisitionUrl.ofEvents : null,
});

function renderPatient(patient: PatientDetails | null, shown: PatientShown): PatientDetails | null {
  if (patient === null || shown === 'all') return patient;
  return {
    first_name: null,
    last_name: null,
    dob: patient.dob,
    gender: patient.gender,
    phone_number: null,
    email: null,
    medical_proxy: null,
    race: null,
    ethnicity: null,
    sexual_orientation: null,
    gender_identity: null,
  };
}

type HomeAddress = NonNullable<Static<typeof Order>['patient_address']>;

/**
 * Returns the address of the patient. The minimum omits the access notes, which may say for example where the house key
 * is.
 */
const renderAddress = (address: HomeAddress | null, shown: PatientShown): HomeAddress | null =>
  address && shown === 'minimum' ? { ...address, access_notes: null } : address;

/**
 * Returns the order transaction in the form of the API. `last` is the newest event that the result shows. The status in
 * `row` may be newer than this event.
 */
export function renderTransaction(
  { row, transaction, events }: ListedOrder,
  last = events.at(-1) as OrderEventRow,
  updated_at = row.updated_at,
): Static<typeof OrderTransaction> {
  const siblings = transaction.map((sibling) =>
    sibling.id === row.id
      ? {
          ...sibling,
          last_low_level_status: partsOf(last.status).low,
          last_event_at: last.created_at,
          updated_at,
        }
      : sibling,
  );
  return {
    id: row.order_transaction_id,
    status: transactionStatus(siblings),
    orders: siblings.map((sibling) => ({
      id: sibling.id,
      low_level_status: sibling.last_low_level_status,
      low_level_status_created_at: sibling.last_event_at,
      origin: sibling.origin,
      parent_id: sibling.parent_id,
      created_at: sibling.created_at,
      updated_at: sibling.updated_at,
    })),
  };
}

export function renderTransactionSummary(
  teamId: string,
  id: string,
  siblings: Sibling[],
): Static<typeof OrderTransactionSummary> {
  return {
    id,
    team_id: teamId,
    status: transactionStatus(siblings),
    orders: siblings.map((sibling) => ({
      id: sibling.id,
      origin: sibling.origin,
      parent_id: sibling.parent_id,
      last_status: sibling.last_low_level_status,
      last_status_created_at: sibling.last_event_at,
      updated_at: sibling.updated_at,
      created_at: sibling.created_at,
    })),
  };
}
