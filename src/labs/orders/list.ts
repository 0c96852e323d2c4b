import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { completeOrders, type LoadedOrder, type OrderRow } from './load.ts';
import { hashWords } from './name-words.ts';

/** Names are sorted by reading them, so only where the matches are few. */
const MOST_SORTED_BY_NAME = 10_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type OrderFilters = {
  search_input?: string | undefined;
  start_date?: string | undefined;
  end_date?: string | undefined;
  updated_start_date?: string | undefined;
  updated_end_date?: string | undefined;
  status?: string[] | undefined;
  order_key?: 'created_at' | 'patient_name' | 'last_status' | undefined;
  order_direction?: 'asc' | 'desc' | undefined;
  order_type?: string[] | undefined;
  is_critical?: boolean | undefined;
  interpretation?: string | undefined;
  order_activation_types?: string[] | undefined;
  user_id?: string | undefined;
  patient_name?: string | undefined;
  shipping_recipient_name?: string | undefined;
  order_ids?: string[] | undefined;
  order_transaction_id?: string | undefined;
  page: number;
  size: number;
};

/** Orders of the caller's team that fit all filters, newest first unless asked otherwise. */
export async function listOrders(
  ctx: TeamCtx,
  filters: OrderFilters,
): Promise<{ orders: LoadedOrder[]; total: number }> {
  const where = sql.join(conditions(ctx, filters), sql` and `);
  const {
    rows: [count],
  } = await sql<{ total: number }>`select count(*) as total from orders where ${where}`.execute(ctx.db);
  const total = count?.total ?? 0;
  if (filters.order_key === 'patient_name' && total > MOST_SORTED_BY_NAME) {
    throw new AppError(
      'too_many_matches',
      `Sorting by patient_name takes at most ${MOST_SORTED_BY_NAME} matches, but the filters leave ${total}. Narrow them.`,
    );
  }
  const { rows } = await sql<OrderRow>`
    select orders.* from orders where ${where}
     order by ${sortBy(filters)} limit ${filters.size} offset ${(filters.page - 1) * filters.size}`.execute(ctx.db);
  return { orders: await completeOrders(ctx, rows), total };
}

function conditions(ctx: TeamCtx, filters: OrderFilters): RawBuilder<unknown>[] {
  const all = [
    sql`orders.team_id = ${ctx.team.id}`,
    sql`not exists (select from users where users.id = orders.user_id and users.deleted_at is not null)`,
  ];
  if (filters.start_date) all.push(sql`created_at >= ${filters.start_date}::timestamptz`);
  // Answers show milliseconds: a time that was read from one includes everything within it.
  if (filters.end_date) all.push(sql`created_at < ${filters.end_date}::timestamptz + interval '1 millisecond'`);
  if (filters.updated_start_date) all.push(sql`updated_at >= ${filters.updated_start_date}::timestamptz`);
  if (filters.updated_end_date)
    all.push(sql`updated_at < ${filters.updated_end_date}::timestamptz + interval '1 millisecond'`);
  if (filters.status) all.push(sql`last_low_level_status = any (${filters.status.map(asStored)}::text[])`);
  if (filters.order_type) all.push(sql`method = any (${filters.order_type}::text[])`);
  if (filters.is_critical !== undefined)
    all.push(sql`(interpretation is not distinct from 'critical') = ${filters.is_critical}`);
  if (filters.interpretation === 'null') all.push(sql`interpretation is null`);
  else if (filters.interpretation) all.push(sql`interpretation = ${filters.interpretation}`);
  if (filters.order_activation_types) {
    all.push(
      sql`(case when activate_by > current_date then 'scheduled' else 'current' end) = any (${filters.order_activation_types}::text[])`,
    );
  }
  if (filters.user_id) all.push(sql`user_id = ${filters.user_id}`);
  if (filters.order_ids) all.push(sql`id = any (${filters.order_ids}::uuid[])`);
  if (filters.order_transaction_id) all.push(sql`order_transaction_id = ${filters.order_transaction_id}`);
  if (filters.patient_name) all.push(named(ctx, filters.patient_name, ['patient']));
  if (filters.shipping_recipient_name) all.push(named(ctx, filters.shipping_recipient_name, ['recipient']));
  if (filters.search_input) all.push(found(ctx, filters.search_input));
  return all;
}

/** The older name of a status is understood in filters. */
const asStored = (status: string): string => (status === 'registered' ? 'testkit_registered' : status);

/** Every word of the name stands, whole, in a name of one of the kinds. */
function named(ctx: TeamCtx, name: string, kinds: string[]): RawBuilder<unknown> {
  const words = hashWords(ctx, name);
  if (words.length === 0) return sql`false`;
  return sql.join(
    words.map(
      (word) => sql`exists (
    select from order_name_words as words
     where words.team_id = orders.team_id and words.order_id = orders.id
       and words.word_hash = ${word} and words.kind = any (${kinds}::text[]))`,
    ),
    sql` and `,
  );
}

/** What people type into one field: words of a name, an order id or a sample id. */
function found(ctx: TeamCtx, input: string): RawBuilder<unknown> {
  const id = UUID.test(input) ? sql`id = ${input}::uuid` : sql`false`;
  return sql`(${id} or sample_id = ${input.toUpperCase()} or (${named(ctx, input, ['patient', 'recipient'])}))`;
}

function sortBy({ order_key, order_direction }: OrderFilters): RawBuilder<unknown> {
  const direction = sql.raw(order_direction ?? 'desc');
  if (order_key === 'last_status') return sql`last_low_level_status ${direction}, id ${direction}`;
  if (order_key === 'patient_name') {
    return sql`lower(patient_details ->> 'last_name') ${direction} nulls last, lower(patient_details ->> 'first_name') ${direction} nulls last, id ${direction}`;
  }
  return sql`id ${direction}`;
}
