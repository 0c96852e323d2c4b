// Says when an open order is overdue: its newest event is older than a number of days that depends on its status.
import type { CollectionMethod, LowLevelStatus } from '../status/statuses.ts';

type Rule = {
  methods: readonly CollectionMethod[];
  statuses: readonly LowLevelStatus[];
  /** An order is overdue if its newest event is older than this number of days. */
  days: number;
  /** A further condition on the columns of `orders`, as SQL. */
  further?: string;
};

const KIT: readonly CollectionMethod[] = ['testkit'];
const COLLECTED: readonly CollectionMethod[] = ['walk_in_test', 'at_home_phlebotomy', 'on_site_collection'];
const DAYS_NOT_SENT = 7;
const DAYS_NOT_COLLECTED = 30;
/** How long a laboratory may take. Lab tests whose worst case takes longer have their own time. */
const DAYS_AT_LABORATORY = 5;
/** How long after an appointment its order may be without a draw. */
const DAYS_AFTER_APPOINTMENT = 1;

/** A day on which the order becomes active counts like an event. */
const activeFor = (days: number): string =>
  `(orders.activate_by is null or orders.activate_by < current_date - ${days})`;

/** An order that was repeated is not waited for. The order that repeats it has its own time. */
const NOT_REPEATED = `not exists (
  select from orders repeated where repeated.team_id = orders.team_id and repeated.parent_id = orders.id)`;

export const OVERDUE_RULES = {
  not_sent: {
    methods: KIT,
    statuses: ['ordered', 'awaiting_registration', 'requisition_created', 'requisition_bypassed'],
    days: DAYS_NOT_SENT,
    further: activeFor(DAYS_NOT_SENT),
  },
  in_transit: {
    methods: KIT,
    statuses: [
      'transit_customer',
      'out_for_delivery',
      'problem_in_transit_customer',
      'transit_lab',
      'problem_in_transit_lab',
    ],
    days: 7,
  },
  with_customer: { methods: KIT, statuses: ['with_customer', 'testkit_registered'], days: 14, further: NOT_REPEATED },
  not_collected: {
    methods: COLLECTED,
    statuses: [
      'ordered',
      'requisition_created',
      'requisition_bypassed',
      'appointment_pending',
      'appointment_cancelled',
      'redraw_available',
    ],
    days: DAYS_NOT_COLLECTED,
    further:
      `${activeFor(DAYS_NOT_COLLECTED)} and ` +
      `(orders.last_low_level_status <> 'redraw_available' or ${NOT_REPEATED})`,
  },
  appointment_missed: {
    methods: COLLECTED,
    statuses: ['appointment_scheduled'],
    days: 0,
    further: `(select a.end_at from appointments a where a.user_id = orders.user_id and a.order_id = orders.id
                order by a.id desc limit 1) < now() - interval '${DAYS_AFTER_APPOINTMENT} days'`,
  },
  at_laboratory: {
    methods: [...KIT, ...COLLECTED],
    statuses: ['delivered_to_lab', 'lab_processing_blocked', 'draw_completed', 'partial_results'],
    days: DAYS_AT_LABORATORY,
    further: `not exists (
      select from lab_tests where lab_tests.id = orders.lab_test_id and worst_case_tat_days > ${DAYS_AT_LABORATORY}
         and orders.last_event_at >= now() - make_interval(days => worst_case_tat_days))`,
  },
} as const satisfies Record<string, Rule>;

export type OverdueKind = keyof typeof OVERDUE_RULES;

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');

/** Returns the conditions on `orders`, as SQL, by the kind of overdue orders that they select. */
export const OVERDUE_CONDITIONS = Object.fromEntries(
  Object.entries<Rule>(OVERDUE_RULES).map(([kind, { methods, statuses, days, further }]) => [
    kind,
    [
      `orders.last_low_level_status in (${quoted(statuses)})`,
      `orders.method in (${quoted(methods)})`,
      `orders.last_event_at < now() - interval '${days} days'`,
      ...(further ? [further] : []),
    ].join(' and '),
  ]),
) as Record<OverdueKind, string>;

const STATUSES = [...new Set(Object.values<Rule>(OVERDUE_RULES).flatMap(({ statuses }) => statuses))];

/**
 * A condition on one row of `orders`. It is true, false or null, and null means that the order is not overdue. The list
 * of statuses comes first: it is cheap, it rules out most orders, and the index of open orders has them.
 */
export const IS_OVERDUE = `(orders.last_low_level_status in (${quoted(STATUSES)}) and (${Object.values(
  OVERDUE_CONDITIONS,
)
  .map((condition) => `(${condition})`)
  .join(' or ')}))`;

/**
 * Returns an SQL expression for the number of overdue orders that fulfil all further conditions. An order is overdue in
 * one way at most. So the expression adds a count for each way, and each count reads the index of open orders.
 */
export const overdueCount = (conditions: string[]): string =>
  Object.values(OVERDUE_CONDITIONS)
    .map((condition) => `(select count(*) from orders where ${[...conditions, condition].join(' and ')})`)
    .join(' + ');
