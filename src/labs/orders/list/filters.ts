import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { isUuid } from '../../../ids.ts';
import { isBirthDate } from '../../../wire/birth-date.ts';
import { birthDateHash, wordHashes } from '../name-words.ts';
import { currentName } from '../status/table.ts';
import { canonicalSampleId } from '../testkit/bind-sample.ts';
import type { OrderListQuery } from './schemas.ts';

export type OrderFilters = Omit<Static<typeof OrderListQuery>, 'page' | 'size'>;

/** Orders in which every one of the hashed words stands, in names (or a date of birth) of these kinds. */
const found = (hashes: string, kinds: string): string => `orders.id = any (array(
    select words.order_id from order_name_words words
     where words.team_id = $1 and words.word_hash = any (${hashes}::bytea[]) and words.kind in (${kinds})
     group by words.order_id having count(distinct words.word_hash) = cardinality(${hashes}::bytea[])))`;

/** Who is scheduled for deletion: few, and read once for a statement. */
const LEAVING = '(select users.id from users where users.team_id = $1 and users.deleted_at is not null)';

/**
 * The condition of every list of orders: one text, in which a filter that was not given is a null. Such a statement is
 * planned for each execution (it bears no name), and the planner drops what is null: what is left uses its index.
 */
export const WHERE = `orders.team_id = $1
  and orders.user_id not in ${LEAVING}
  and ($2::uuid is null or orders.user_id = $2)
  and ($3::uuid[] is null or orders.id = any ($3))
  and ($4::uuid is null or orders.order_transaction_id = $4)
  and ($5::text[] is null or orders.last_low_level_status = any ($5))
  and ($6::text[] is null or orders.method = any ($6))
  and ($7::text[] is null or orders.interpretation = any ($7))
  and ($8::boolean is null or (orders.interpretation is null) = $8)
  and ($9::boolean is null or (orders.interpretation is not distinct from 'critical') = $9)
  and ($10::text[] is null or ('scheduled' = any ($10) and orders.activate_by > current_date)
    or ('current' = any ($10) and (orders.activate_by is null or orders.activate_by <= current_date)))
  -- Answers show milliseconds: an upper bound that was read from one includes everything within its millisecond.
  and ($11::timestamptz is null or orders.created_at >= $11)
  and ($12::timestamptz is null or orders.created_at < $12::timestamptz + interval '1 millisecond')
  -- Ids begin with the time at which they were made: they lead to the days in question by the index.
  and ($11::timestamptz is null or orders.id >= uuid_v7_floor(greatest($11::timestamptz::date, '1970-01-03') - 1))
  and ($12::timestamptz is null or orders.id < uuid_v7_floor(greatest($12::timestamptz::date, '1970-01-03') + 3))
  and ($13::timestamptz is null or orders.updated_at >= $13)
  and ($14::timestamptz is null or orders.updated_at < $14::timestamptz + interval '1 millisecond')
  and ($15::bytea[] is null or ${found('$15', `'patient'`)})
  and ($16::bytea[] is null or ${found('$16', `'recipient'`)})
  and (not $17::boolean or orders.id = $18::uuid or orders.user_id = $18
    or orders.id = (select samples.order_id from sample_ids samples where samples.team_id = $1 and samples.sample_id = $19::text)
    or ${found('$20', `'birth_date'`)}
    or ${found('$21', `'patient', 'recipient'`)})`;

/** How many parameters WHERE has. */
export const PARAMETERS = 21;

/** The values of WHERE's parameters; null where the filters can match nothing. */
export function valuesOf(ctx: TeamCtx, filters: OrderFilters): unknown[] | null {
  const { interpretation, is_critical, start_date, end_date, updated_start_date, updated_end_date } = filters;
  const patient = filters.patient_name ? wordHashes(ctx, filters.patient_name) : null;
  const recipient = filters.shipping_recipient_name ? wordHashes(ctx, filters.shipping_recipient_name) : null;
  if (patient?.length === 0 || recipient?.length === 0) return null;
  const search = filters.search_input?.trim() ?? '';
  return [
    ctx.team.id,
    filters.user_id ?? null,
    filters.order_ids ?? null,
    filters.order_transaction_id ?? null,
    filters.status?.map(currentName) ?? null,
    filters.order_type ?? null,
    interpretation && interpretation !== 'null' ? [interpretation] : is_critical ? ['critical'] : null,
    interpretation === 'null' ? true : null,
    is_critical ?? null,
    filters.order_activation_types ?? null,
    start_date || null,
    end_date || null,
    updated_start_date || null,
    updated_end_date || null,
    patient,
    recipient,
    search !== '',
    isUuid(search) ? search : null,
    search === '' ? null : canonicalSampleId(search),
    isBirthDate(search) ? [birthDateHash(ctx, search)] : null,
    search === '' || isUuid(search) ? null : nullIfEmpty(wordHashes(ctx, search)),
  ];
}

const nullIfEmpty = <T>(list: T[]): T[] | null => (list.length === 0 ? null : list);
