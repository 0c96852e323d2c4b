import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { isUuid } from '../../../ids.ts';
import { isBirthDate } from '../../../wire/birth-date.ts';
import { IS_OVERDUE } from '../counts/overdue.ts';
import { birthDateHash, specimenHash, wordHashes } from '../name-words.ts';
import { currentName } from '../status/statuses.ts';
import { canonicalSampleId } from '../bind-sample.ts';
import { trackingNumberHash } from '../testkit/tracking-numbers.ts';
import type { OrderListQuery } from './schemas.ts';

export type OrderFilters = Omit<Static<typeof OrderListQuery>, 'page' | 'size' | 'order_key' | 'order_direction'>;

/**
 * A function that adds a value to the parameters of a statement and returns the name of the parameter, such as `$1`.
 */
export type Bind = (value: unknown) => string;

/** Returns an empty list of parameters, and a function that adds a value to it. */
export function parameters(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** The filters for which we store totals. null means that the request does not have this filter. */
export type CountedFilters = {
  statuses: string[] | null;
  methods: string[] | null;
  interpretation: string | null;
  /** true selects the orders that have no interpretation. */
  lacksInterpretation: true | null;
  isCritical: boolean | null;
};

/** A function that returns one condition as SQL text and adds its values to the parameters. */
type Condition = (bind: Bind) => string;

export type OrderSelection = {
  team: string;
  counted: CountedFilters;
  user: string | null;
  /** Conditions that match few orders, for example an order id. An index exists for each of them. */
  finding: Condition[];
  /** Conditions on days. We store no totals for them. */
  days: Condition[];
  /** Whether the orders are overdue. null for all orders. */
  overdue: boolean | null;
};

/**
 * Returns a condition for orders that have all of these hashed words. `kinds` says where the words must occur: in the
 * patient's name, in the recipient's name, or as the date of birth.
 */
const foundByWords = (team: string, hashes: string, kinds: string): string => `orders.id = any (array(
    select words.order_id from order_name_words words
     where words.team_id = ${team} and words.word_hash = any (${hashes}::bytea[]) and words.kind in (${kinds})
     group by words.order_id having count(distinct words.word_hash) = cardinality(${hashes}::bytea[])))`;

/** Converts the filters of a request to conditions. Returns null if no order can match them. */
export function wantedOf(ctx: TeamCtx, filters: OrderFilters): OrderSelection | null {
  const { order_ids, order_transaction_id, patient_name, shipping_recipient_name } = filters;
  const team = ctx.team.id;
  const finding: Condition[] = [];
  if (order_ids) finding.push((bind) => `orders.id = any (${bind(order_ids)}::uuid[])`);
  if (order_transaction_id) finding.push((bind) => `orders.order_transaction_id = ${bind(order_transaction_id)}::uuid`);
  for (const [text, kind] of [
    [patient_name, 'patient'],
    [shipping_recipient_name, 'recipient'],
  ] as const) {
    const hashes = text ? wordHashes(ctx, text) : null;
    if (hashes?.length === 0) return null;
    if (hashes) finding.push((bind) => foundByWords(bind(team), bind(hashes), `'${kind}'`));
  }
  const search = filters.search_input?.trim() ?? '';
  if (search !== '') finding.push(searched(ctx, search));
  return {
    team,
    counted: countedOf(filters),
    user: filters.user_id ?? null,
    finding,
    days: daysOf(filters),
    overdue: filters.is_overdue ?? null,
  };
}

function countedOf({ status, order_type, interpretation, is_critical }: OrderFilters): CountedFilters {
  const result = interpretation && interpretation !== 'null' ? interpretation : is_critical ? 'critical' : null;
  return {
    statuses: status ? [...new Set(status.map(currentName))] : null,
    methods: order_type ? [...new Set(order_type)] : null,
    interpretation: result,
    lacksInterpretation: interpretation === 'null' ? true : null,
    // `is_critical` and the interpretation `critical` mean the same here. If a request has both, we drop one. Then the
    // statement has the same text as for a request with one of them, and PostgreSQL prepares this text only once.
    isCritical: is_critical && result === 'critical' ? null : (is_critical ?? null),
  };
}

/**
 * Returns the condition for `search_input`. The text matches the id of an order, a user or a sample, a laboratory's
 * number of a sample, a tracking number, or whole words of a name and a date of birth.
 */
function searched(ctx: TeamCtx, search: string): Condition {
  const team = ctx.team.id;
  const parts = search.split(/\s+/);
  const born = parts.find((part) => isBirthDate(part));
  const name = parts.filter((part) => part !== born).join(' ');
  const words = isUuid(search) ? [] : wordHashes(ctx, name);
  return (bind) => {
    const samples = [canonicalSampleId(search), canonicalSampleId(search.replaceAll(/[\s-]/g, ''))];
    const ways = [
      `orders.id = any (array(select samples.order_id from sample_ids samples
         where samples.team_id = ${bind(team)} and samples.sample_id = any (${bind(samples)}::text[])))`,
      `orders.id = any (array(select parcels.order_id from tracking_numbers parcels
         where parcels.number_hash = ${bind(trackingNumberHash(ctx, search))} and parcels.team_id = ${bind(team)}))`,
      foundByWords(bind(team), bind([specimenHash(ctx, search)]), `'specimen'`),
    ];
    if (isUuid(search)) {
      const id = bind(search);
      ways.push(`orders.id = ${id}::uuid`, `orders.user_id = ${id}::uuid`);
    }
    const person = [
      ...(born === undefined ? [] : [foundByWords(bind(team), bind([birthDateHash(ctx, born)]), `'birth_date'`)]),
      ...(words.length > 0 ? [foundByWords(bind(team), bind(words), `'patient', 'recipient'`)] : []),
    ];
    if (person.length > 0) ways.push(`(${person.join(' and ')})`);
    return `(${ways.join(' or ')})`;
  };
}

function daysOf(filters: OrderFilters): Condition[] {
  const { start_date, end_date, updated_start_date, updated_end_date, order_activation_types: activation } = filters;
  const days: Condition[] = [];
  // An order id (UUID version 7) begins with the time of its creation, so PostgreSQL can find these days with the index
  // on ids.
  const idOf = (day: string, further: string): string =>
    `uuid_v7_floor(greatest(${day}::timestamptz::date, '1970-01-03') ${further})`;
  if (start_date)
    days.push((bind) => {
      const day = bind(start_date);
      return `orders.created_at >= ${day}::timestamptz and orders.id >= ${idOf(day, '- 1')}`;
    });
  // Responses show times in milliseconds, but PostgreSQL stores microseconds. A customer may use a time from a response
  // as the upper bound. So the bound includes all times within its millisecond.
  if (end_date)
    days.push((bind) => {
      const day = bind(end_date);
      return `orders.created_at < ${day}::timestamptz + interval '1 millisecond' and orders.id < ${idOf(day, '+ 3')}`;
    });
  if (updated_start_date) days.push((bind) => `orders.updated_at >= ${bind(updated_start_date)}::timestamptz`);
  if (updated_end_date)
    days.push((bind) => `orders.updated_at < ${bind(updated_end_date)}::timestamptz + interval '1 millisecond'`);
  if (activation) days.push(() => activationOf(activation));
  return days;
}

function activationOf(types: string[]): string {
  const ways = [
    ...(types.includes('scheduled') ? ['orders.activate_by > current_date'] : []),
    ...(types.includes('current') ? ['orders.activate_by is null', 'orders.activate_by <= current_date'] : []),
  ];
  return ways.length === 0 ? 'false' : `(${ways.join(' or ')})`;
}

/**
 * Returns conditions for the filters for which we store totals. The caller passes the names of the columns for status,
 * method and interpretation.
 */
export function countedConditions(
  { statuses, methods, interpretation, lacksInterpretation, isCritical }: CountedFilters,
  bind: Bind,
  [status, method, result]: [status: string, method: string, interpretation: string],
): string[] {
  const conditions: string[] = [];
  if (statuses) conditions.push(`${status} = any (${bind(statuses)}::text[])`);
  if (methods) conditions.push(`${method} = any (${bind(methods)}::text[])`);
  if (interpretation !== null) conditions.push(`${result} = ${bind(interpretation)}::text`);
  if (lacksInterpretation) conditions.push(`${result} is null`);
  if (isCritical !== null) conditions.push(`${result} is ${isCritical ? 'not ' : ''}distinct from 'critical'`);
  return conditions;
}

/**
 * Returns conditions on `orders` for all filters except the team. It omits the condition on the column `but`, which the
 * caller writes as bounds on an index.
 */
export function conditionsOf(
  { counted, user, finding, days, overdue }: OrderSelection,
  bind: Bind,
  but: string | null,
): string[] {
  const { statuses, methods, interpretation } = counted;
  const conditions = countedConditions(
    {
      ...counted,
      statuses: but === 'last_low_level_status' ? null : statuses,
      methods: but === 'method' ? null : methods,
      interpretation: but === 'interpretation' ? null : interpretation,
    },
    bind,
    ['orders.last_low_level_status', 'orders.method', 'orders.interpretation'],
  );
  if (user !== null && but !== 'user_id') conditions.push(`orders.user_id = ${bind(user)}::uuid`);
  conditions.push(...[...finding, ...days].map((condition) => condition(bind)));
  if (overdue !== null) conditions.push(overdue ? IS_OVERDUE : `${IS_OVERDUE} is not true`);
  return conditions;
}
