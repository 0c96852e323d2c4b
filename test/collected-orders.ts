import type { CollectionMethod } from '../src/labs/orders/status/table.ts';
import { changeOrder } from '../src/labs/orders/change.ts';
import { insertOrder } from '../src/labs/orders/create/insert-order.ts';
import type { Team, TestApp } from './app.ts';
import { makeUser, patientAddress, patientDetails, simulate } from './factories.ts';
import { teamCtx } from './team-ctx.ts';

type Patient = { dob?: string; zip?: string; state?: string; last_name?: string };

/** An order by a method, of a patient in Phoenix, with its requisition: where it waits for an appointment or a draw. */
export async function orderBy(
  app: TestApp,
  team: Team,
  method: CollectionMethod,
  { userId, ...patient }: Patient & { userId?: string } = {},
): Promise<string> {
  const { zip = patientAddress.zip, state = 'AZ', dob = patientDetails.dob, last_name = 'Palmer' } = patient;
  const user_id = userId ?? (await makeUser(team)).user_id;
  const { id } = await app.db
    .selectFrom('lab_tests')
    .select('id')
    .where('team_id', '=', team.id)
    .where('method', '=', method)
    .executeTakeFirstOrThrow();
  const scoped = await teamCtx(app.ctx, team.id);
  const orderId = await scoped.db.transaction().execute(async (db) => {
    const ctx = { ...scoped, db };
    const order = await insertOrder(ctx, {
      user_id,
      lab_test_id: id,
      method,
      shipping_details: null,
      statuses: ['ordered'],
    });
    await changeOrder(ctx, order, {
      patient_details: {
        ...patientDetails,
        dob,
        last_name,
        medical_proxy: null,
        race: null,
        ethnicity: null,
        sexual_orientation: null,
        gender_identity: null,
      },
      patient_address: {
        ...patientAddress,
        zip,
        state,
        second_line: null,
        access_notes: null,
        phone_number: null,
      },
    });
    return order.row.id;
  });
  await simulate(team, orderId, `?final_status=received.${method}.requisition_created`);
  return orderId;
}

export const phoenix = { first_line: '100 West Test Street', city: 'Phoenix', state: 'AZ', zip_code: '85004' };

export type Offered = { booking_key: string; start: string; end: string; expires_at: string };
type Availability = {
  slots: { date: string; location: { code: string } | null; slots: Offered[] }[];
  timezone: string;
};

export const askPhlebotomy = async (team: Team, address: object = phoenix, query = ''): Promise<Availability> =>
  (await team.api<Availability>('POST', `/v3/order/phlebotomy/appointment/availability${query}`, address)).body;

export const askCenters = async (team: Team, query = 'lab=sonora_quest&site_codes=SIM8501'): Promise<Availability> =>
  (await team.api<Availability>('POST', `/v3/order/psc/appointment/availability?${query}`)).body;

export const slotsOf = ({ slots }: Availability): Offered[] => slots.flatMap((day) => day.slots);

/** An order with a booked appointment. */
export async function bookedOrder(
  app: TestApp,
  team: Team,
  kind: 'phlebotomy' | 'psc',
  patient: Patient & { userId?: string } = {},
): Promise<string> {
  const id = await orderBy(app, team, kind === 'psc' ? 'walk_in_test' : 'at_home_phlebotomy', patient);
  const [slot] = slotsOf(kind === 'psc' ? await askCenters(team) : await askPhlebotomy(team));
  const answer = await team.api('POST', `/v3/order/${id}/${kind}/appointment/book`, {
    booking_key: slot?.booking_key,
    appointment_notes: 'Ring twice',
  });
  if (answer.status !== 200) throw new Error(`The appointment was not booked: ${JSON.stringify(answer.body)}`);
  return id;
}
