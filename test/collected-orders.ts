import type { CollectionMethod } from '../src/labs/orders/status/statuses.ts';
import type { Team } from './test-app.ts';
import { createOrder, labTestId, makeUser, patientDetails } from './factories.ts';

type Patient = { userId?: string; last_name?: string };

/**
 * An order with a collection method, for a patient in Phoenix, with its requisition. It waits for an appointment or a
 * draw.
 */
export async function orderBy(team: Team, method: CollectionMethod, patient: Patient = {}): Promise<string> {
  const { userId, last_name = patientDetails.last_name } = patient;
  const made = await createOrder(team, {
    user_id: userId ?? (await makeUser(team)).user_id,
    order_set: { lab_test_ids: [await labTestId(team, method)] },
    patient_details: { ...patientDetails, last_name },
  });
  return made.body.order.id;
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
export async function bookedOrder(team: Team, kind: 'phlebotomy' | 'psc', patient: Patient = {}): Promise<string> {
  const id = await orderBy(team, kind === 'psc' ? 'walk_in_test' : 'at_home_phlebotomy', patient);
  const [slot] = slotsOf(kind === 'psc' ? await askCenters(team) : await askPhlebotomy(team));
  const response = await team.api('POST', `/v3/order/${id}/${kind}/appointment/book`, {
    booking_key: slot?.booking_key,
    appointment_notes: 'Ring twice',
  });
  if (response.status !== 200) throw new Error(`The appointment was not booked: ${JSON.stringify(response.body)}`);
  return id;
}
