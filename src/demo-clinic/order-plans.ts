// Which orders the people of a demo clinic have: every status of every collection method.
import { COLLECTION_METHODS, statusesOf } from '../labs/orders/status/statuses.ts';
import type { CollectionMethod, LowLevelStatus } from '../labs/orders/status/statuses.ts';
import type { Interpretation } from '../labs/results/interpretation/interpret.ts';
import { PEOPLE } from './people.ts';

export type OrderPlan = {
  method: CollectionMethod;
  /** The status to which the order goes. A kit that nobody has registered goes to the customer at most. */
  status: LowLevelStatus;
  interpretation?: Interpretation;
  isUnregistered?: true;
  /** The day of the appointment: the first with a free slot, or the first from tomorrow on. */
  appointment?: 'soon' | 'tomorrow';
};

const APPOINTMENTS: OrderPlan[] = [
  { method: 'walk_in_test', status: 'appointment_scheduled', appointment: 'soon' },
  { method: 'walk_in_test', status: 'appointment_scheduled', appointment: 'soon' },
  { method: 'walk_in_test', status: 'appointment_scheduled', appointment: 'tomorrow' },
  { method: 'at_home_phlebotomy', status: 'appointment_scheduled', appointment: 'soon' },
  { method: 'at_home_phlebotomy', status: 'appointment_scheduled', appointment: 'tomorrow' },
];

const RESULTS: OrderPlan[] = [
  { method: 'testkit', status: 'completed', interpretation: 'critical' },
  { method: 'walk_in_test', status: 'completed', interpretation: 'critical' },
  { method: 'on_site_collection', status: 'completed', interpretation: 'critical' },
  { method: 'testkit', status: 'completed', interpretation: 'abnormal' },
  { method: 'walk_in_test', status: 'completed', interpretation: 'abnormal' },
  { method: 'at_home_phlebotomy', status: 'completed', interpretation: 'abnormal' },
];

const EVERY_STATUS: OrderPlan[] = COLLECTION_METHODS.flatMap((method) =>
  statusesOf(method)
    .filter((status) => status !== 'appointment_scheduled')
    .map((status) => ({ method, status })),
);

/** A kit that its user has received and not registered yet. The rules know no status of its own for it. */
const UNREGISTERED: OrderPlan = { method: 'testkit', status: 'with_customer', isUnregistered: true };

const PLANS = [...RESULTS, ...APPOINTMENTS, UNREGISTERED, ...EVERY_STATUS];

/** The person whose report the simulated laboratory sends without the numbers of its order. */
const UNMATCHED = PEOPLE.findIndex(({ info }) => info.last_name === 'Unmatched');
const OTHERS = PEOPLE.map((_, n) => n).filter((n) => n !== UNMATCHED);

const OF_PERSON: readonly OrderPlan[][] = PEOPLE.map((_, person) =>
  person === UNMATCHED
    ? [{ method: 'on_site_collection', status: 'completed', interpretation: 'abnormal' }]
    : PLANS.filter((_, plan) => OTHERS[plan % OTHERS.length] === person),
);

export const ordersOf = (person: number): readonly OrderPlan[] => OF_PERSON[person] ?? [];
