import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { listLabTests } from '../labs/catalogue/list.ts';
import type { CreateOrderInput, ImportOrderInput } from '../labs/orders/create/schemas.ts';
import { createOrder } from '../labs/orders/create/create.ts';
import { importOrder } from '../labs/orders/create/import.ts';
import { loadOrder, lockOrder, type LoadedOrder } from '../labs/orders/load-order.ts';
import { progressOfOrder } from '../labs/orders/status/order-progress.ts';
import type { CollectionMethod, LowLevelStatus } from '../labs/orders/status/statuses.ts';
import { pathTo } from '../labs/orders/status/steps-to-status.ts';
import { createTestkitOrder } from '../labs/orders/testkit/create.ts';
import { registerTestkit } from '../labs/orders/testkit/register.ts';
import { cancelOrder } from '../labs/orders/under-way/cancel-order.ts';
import { move } from '../labs/laboratories/simulated/simulation-step.ts';
import { acknowledge } from './acknowledge.ts';
import { bookDay } from './book-day.ts';
import { momentsOf, type MomentOf } from './order-moments.ts';
import type { OrderPlan } from './order-plans.ts';
import type { Person } from './people.ts';

export type Patient = { user_id: string; person: Person; isInsured: boolean };
type Details = Pick<Static<typeof CreateOrderInput>, 'patient_details' | 'patient_address' | 'physician'>;

const PHYSICIAN = { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893', email: null };
/** The diagnosis of orders that an insurance pays. */
const ICD_CODE = 'E11.9';
const WAITS_DAYS = 14;
const DAY_MS = 86_400_000;
const SAMPLE_BYTES = 8;

/**
 * Makes an order and brings it to its status, by the functions that operations and simulations call. Each step has its
 * own moment in the past. `position` is that of the order, by which the moments differ.
 */
export async function placeOrder(
  ctx: TxCtx<TeamCtx>,
  patient: Patient,
  { plan, position }: { plan: OrderPlan; position: number },
): Promise<void> {
  const lab_test_id = await findLabTestOrNull(ctx, plan.method);
  if (lab_test_id === null) return;
  const at = stepsInPast(ctx, momentsOf(plan, patient.person.time_zone, position));
  const id = await makeOrder(at, patient, { ...plan, lab_test_id });
  if (plan.appointment) return bookDay(at('appointment_scheduled'), id, plan.appointment);
  if (plan.status === 'cancelled') {
    await cancelOrder(at('cancelled'), id);
    return;
  }
  await moveTo(at, id, plan);
  if (plan.isAcknowledged) await acknowledge(ctx, id);
}

/** Returns the context in which the order gets a status, at the moment of that status. */
type At = (status: LowLevelStatus) => TxCtx<TeamCtx>;

const stepsInPast =
  (ctx: TxCtx<TeamCtx>, momentOf: MomentOf): At =>
  (status) => ({ ...ctx, happenedAt: momentOf(status) });

/** Moves an order to its status, one status after another, as a simulation without a delay does. */
async function moveTo(at: At, id: string, { status, interpretation = 'normal' }: OrderPlan): Promise<void> {
  let order: LoadedOrder | null = await lockOrder(at(status), id);
  const path = pathTo(progressOfOrder(order), status, 'simulation');
  for (const step of path.ok ? path.steps : []) {
    order = await move(at(step), order, step, { interpretation });
    if (!order) return;
  }
}

/**
 * Returns the oldest active lab test of a method, which a new team of a sandbox has. Null if the team has deleted it.
 */
export async function findLabTestOrNull(ctx: TeamCtx, method: CollectionMethod): Promise<string | null> {
  const [test] = await listLabTests(ctx, {
    collection_method: method,
    status: 'active',
    generation_method: 'manual',
    order_key: 'created_at',
    order_direction: 'asc',
  });
  return test?.id ?? null;
}

async function makeOrder(
  at: At,
  patient: Patient,
  { method, status, isUnregistered, lab_test_id }: OrderPlan & { lab_test_id: string },
): Promise<string> {
  const ctx = at('ordered');
  if (status === 'requisition_bypassed') return importAtLaboratory(ctx, patient, { method, lab_test_id });
  if (isUnregistered || status === 'awaiting_registration' || status === 'testkit_registered') {
    return orderKit(at, patient, { lab_test_id, isRegistered: status === 'testkit_registered' });
  }
  // An order that waits for its day remains at `ordered`.
  return orderFrom(ctx, patient, { lab_test_id, activate_by: status === 'ordered' ? dayAfter(WAITS_DAYS) : null });
}

/** Orders a lab test for a patient whose data are known. Returns the id of the order. */
export async function orderFrom(
  ctx: TxCtx<TeamCtx>,
  patient: Patient,
  of: { lab_test_id: string; activate_by: string | null },
): Promise<string> {
  const { user_id, isInsured } = patient;
  const { row } = await createOrder(ctx, {
    user_id,
    ...of,
    ...detailsOf(patient),
    priority: false,
    billing_type: isInsured ? 'commercial_insurance' : 'client_bill',
    icd_codes: isInsured ? [ICD_CODE] : null,
  } as Static<typeof CreateOrderInput>);
  return row.id;
}

/** Imports an order that a laboratory has already, and gives it a sample id that no other order has. */
export async function importAtLaboratory(
  ctx: TxCtx<TeamCtx>,
  patient: Patient,
  { method, lab_test_id }: { method: CollectionMethod; lab_test_id: string },
): Promise<string> {
  const { row } = await importOrder(ctx, {
    user_id: patient.user_id,
    billing_type: 'client_bill',
    order_set: { lab_test_ids: [lab_test_id] },
    collection_method: method,
    sample_id: `DEMO-${randomBytes(SAMPLE_BYTES).toString('hex')}`,
    ...detailsOf(patient),
  } as Static<typeof ImportOrderInput>);
  return row.id;
}

/** Orders a kit for a patient who registers it, or has not done so yet. */
async function orderKit(
  at: At,
  patient: Patient,
  { lab_test_id, isRegistered }: { lab_test_id: string; isRegistered: boolean },
): Promise<string> {
  const { patient_address, ...details } = detailsOf(patient);
  const { access_notes: _, ...shipping } = patient_address;
  const { row } = await createTestkitOrder(at('ordered'), {
    user_id: patient.user_id,
    lab_test_id,
    shipping_details: { ...shipping, receiver_name: shipping.receiver_name ?? '', phone_number: phoneOf(patient) },
  });
  if (!isRegistered) return row.id;
  await moveTo(at, row.id, { method: 'testkit', status: 'with_customer' });
  const ctx = at('testkit_registered');
  const shipped = await loadOrder(ctx, row.id);
  await registerTestkit(ctx, { sample_id: shipped.row.sample_id as string, patient_address, ...details });
  return row.id;
}

const phoneOf = ({ person }: Patient): string => person.info.phone_number;
const dayAfter = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

function detailsOf({ person: { info } }: Patient): Details & { physician: typeof PHYSICIAN } {
  const { address, ...person } = info;
  const patient_details = { ...person, household_income: null, household_size: null };
  const receiver_name = `${info.first_name} ${info.last_name}`;
  return {
    patient_details,
    patient_address: { ...address, receiver_name, phone_number: info.phone_number },
    physician: PHYSICIAN,
  };
}
