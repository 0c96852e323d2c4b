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
  /** The appointment: how many days after today, and its local time in minutes after midnight. */
  appointment?: { inDays: number; minutes: number };
  /** How many days ago the order got its status. Missing: hours or some weeks. */
  daysAgo?: number;
  /** Somebody has acknowledged the critical result, and nobody has signed it off. */
  isAcknowledged?: true;
};

/** The times have half hours, because the slots of the simulated scheduler, which clients book, begin on the hour. */
const APPOINTMENTS: OrderPlan[] = (
  [
    ['walk_in_test', 0, '07:30'],
    ['walk_in_test', 0, '09:30'],
    ['at_home_phlebotomy', 0, '10:30'],
    ['walk_in_test', 0, '12:30'],
    ['at_home_phlebotomy', 0, '14:30'],
    ['walk_in_test', 0, '16:30'],
    ['walk_in_test', 1, '08:30'],
    ['at_home_phlebotomy', 1, '11:30'],
    ['walk_in_test', 1, '15:30'],
  ] as const
).map(([method, inDays, at]) => ({
  method,
  status: 'appointment_scheduled',
  daysAgo: 2,
  appointment: { inDays, minutes: Number(at.slice(0, 2)) * 60 + Number(at.slice(3)) },
}));

/** The critical results have waited for different times. */
const RESULTS: OrderPlan[] = [
  { method: 'testkit', status: 'completed', interpretation: 'critical', daysAgo: 3 },
  { method: 'walk_in_test', status: 'completed', interpretation: 'critical', daysAgo: 0.2 },
  { method: 'on_site_collection', status: 'completed', interpretation: 'critical', daysAgo: 1 },
  { method: 'walk_in_test', status: 'completed', interpretation: 'critical', daysAgo: 2, isAcknowledged: true },
  { method: 'testkit', status: 'completed', interpretation: 'abnormal' },
  { method: 'walk_in_test', status: 'completed', interpretation: 'abnormal' },
  { method: 'at_home_phlebotomy', status: 'completed', interpretation: 'abnormal' },
];

/** A kit that its user has received and not registered yet. The rules know no status of its own for it. */
const UNREGISTERED: OrderPlan = { method: 'testkit', status: 'with_customer', isUnregistered: true };

/** One order for each reason why an order is overdue (labs/orders/counts/overdue.ts). */
const OVERDUE: OrderPlan[] = [
  { method: 'testkit', status: 'awaiting_registration', daysAgo: 11 },
  { method: 'testkit', status: 'transit_customer', daysAgo: 9 },
  { ...UNREGISTERED, daysAgo: 18 },
  { method: 'walk_in_test', status: 'requisition_created', daysAgo: 34 },
  { method: 'at_home_phlebotomy', status: 'appointment_scheduled', daysAgo: 5 },
  { method: 'on_site_collection', status: 'draw_completed', daysAgo: 8 },
];

const EVERY_STATUS: OrderPlan[] = COLLECTION_METHODS.flatMap((method) =>
  statusesOf(method)
    .filter((status) => status !== 'appointment_scheduled')
    .map((status) => ({ method, status })),
);

const PLANS = [...RESULTS, ...APPOINTMENTS, ...OVERDUE, UNREGISTERED, ...EVERY_STATUS];

/** The person whose report the simulated laboratory sends without the numbers of its order. */
const UNMATCHED = PEOPLE.findIndex(({ info }) => info.last_name === 'Unmatched');
const OTHERS = PEOPLE.map((_, n) => n).filter((n) => n !== UNMATCHED);

const OF_PERSON: readonly OrderPlan[][] = PEOPLE.map((_, person) =>
  person === UNMATCHED
    ? [{ method: 'on_site_collection', status: 'completed', interpretation: 'abnormal' }]
    : PLANS.filter((_, plan) => OTHERS[plan % OTHERS.length] === person),
);

export const ordersOf = (person: number): readonly OrderPlan[] => OF_PERSON[person] ?? [];
