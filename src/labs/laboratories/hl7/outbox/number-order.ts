import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { AppError } from '../../../../errors.ts';
import type { LoadedOrder } from '../../../orders/load-order.ts';
import { bindSample } from '../../../orders/bind-sample.ts';
import { listLabAccounts } from '../../../catalogue/lab-accounts/find.ts';
import type { Connection } from '../connections/find-connection.ts';
import { OrderNotSendable } from '../messages/order-writer.ts';
import { orderNumber, patientNumber } from '../messages/order-number.ts';

export type Numbered = { order: LoadedOrder; number: string; accountNumber: string };

/**
 * Issues the numbers of an order for its laboratory: the number of the order, its account, and a sample id if the order
 * has none. A second call returns the same numbers. If the laboratory draws the sample, the laboratory assigns the
 * sample id.
 */
export async function numberOrder(ctx: TxCtx<TeamCtx>, order: LoadedOrder, connection: Connection): Promise<Numbered> {
  const { user_id, id, method } = order.row;
  const known = await ctx.db
    .selectFrom('order_numbers')
    .select(['number', 'account_number'])
    .where('user_id', '=', user_id)
    .where('order_id', '=', id)
    .executeTakeFirst();
  const accountNumber = known?.account_number ?? (await accountOf(ctx, order, connection));
  const number = known?.number ?? (await issue(ctx, order, connection, accountNumber));
  const numbered =
    order.row.sample_id === null && method !== 'walk_in_test' ? await issueSample(ctx, order, number) : order;
  return { order: numbered, number, accountNumber };
}

const MAX_TRIES = 5;
/** The least number that we choose at random. The counter of orders will never reach it. */
const FIRST_RANDOM = 2 ** 40;

/**
 * Gives the order a sample id, made from the number of the order. Another team may have taken that id, so that we could
 * not send the order. Then the function uses a random id, which nobody can predict and take.
 */
async function issueSample(ctx: TxCtx<TeamCtx>, order: LoadedOrder, orderedAs: string): Promise<LoadedOrder> {
  let number = orderedAs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await bindSample(ctx, order, `K${number}`);
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'sample_already_registered';
      if (!isTaken || tries >= MAX_TRIES) throw error;
      number = orderNumber(BigInt(randomInt(FIRST_RANDOM, FIRST_RANDOM * 64)));
    }
  }
}

async function issue(
  ctx: TxCtx<TeamCtx>,
  { row }: LoadedOrder,
  { lab_id }: Connection,
  account_number: string,
): Promise<string> {
  const { rows } = await sql<{ counter: string }>`select nextval('order_number_counter')::text as counter`.execute(
    ctx.db,
  );
  const number = orderNumber(BigInt((rows[0] as { counter: string }).counter));
  await ctx.db
    .insertInto('order_numbers')
    .values({ user_id: row.user_id, order_id: row.id, team_id: ctx.team.id, lab_id, number, account_number })
    .execute();
  return number;
}

/** Returns the short number of a user for laboratories. The first call issues it. */
export async function numberPatient({ db, team }: TxCtx<TeamCtx>, userId: string): Promise<string> {
  const known = await db
    .selectFrom('patient_numbers')
    .select('number')
    .where('user_id', '=', userId)
    .where('team_id', '=', team.id)
    .executeTakeFirst();
  if (known) return known.number;
  const { rows } = await sql<{ counter: string }>`select nextval('patient_number_counter')::text as counter`.execute(
    db,
  );
  // Another transaction may issue a number for this user at the same time, for an order at another laboratory. We keep
  // the number that was inserted first.
  const { rows: made } = await sql<{ number: string }>`
    insert into patient_numbers as known (user_id, team_id, number)
    values (${userId}, ${team.id}, ${patientNumber(BigInt((rows[0] as { counter: string }).counter))})
        on conflict (user_id) do update set number = known.number returning number`.execute(db);
  return (made[0] as { number: string }).number;
}

/**
 * Returns the account for an order. It is the first that exists of these: the account that the order names, the team's
 * oldest active account at the laboratory, the account in the settings of the connection.
 */
async function accountOf(ctx: TxCtx<TeamCtx>, { row }: LoadedOrder, connection: Connection): Promise<string> {
  const accounts = await listLabAccounts(ctx, {});
  const account =
    row.lab_account_id === null
      ? accounts.find(({ lab_id, status }) => lab_id === connection.lab_id && status === 'active')
      : accounts.find(({ id }) => id === row.lab_account_id);
  const number = account?.provider_account_id ?? connection.settings.account_number;
  if (number === undefined) throw new OrderNotSendable('account_missing');
  return number;
}
