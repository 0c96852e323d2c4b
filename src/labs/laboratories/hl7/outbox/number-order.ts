import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { AppError } from '../../../../errors.ts';
import type { LoadedOrder } from '../../../orders/load.ts';
import { bindSample } from '../../../orders/testkit/bind-sample.ts';
import { listLabAccounts } from '../../../catalogue/lab-accounts/find.ts';
import type { Connection } from '../connections/find-connection.ts';
import { OrderNotSendable } from '../messages/order-writer.ts';
import { orderNumber, patientNumber } from '../messages/order-number.ts';

export type Numbered = { order: LoadedOrder; number: string; accountNumber: string };

/**
 * Issues the numbers by which the laboratory knows the order, once: that of the order, the account that it goes to, and
 * that of its sample where there is none yet. A laboratory that draws the sample itself numbers it itself.
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

const MOST_TRIES = 5;
/** Beyond what the counter will ever reach. */
const FIRST_RANDOM = 2 ** 40;

/** By the order's number; where somebody has that id, by one that nobody can foresee: no team holds up another's order. */
async function issueSample(ctx: TxCtx<TeamCtx>, order: LoadedOrder, orderedAs: string): Promise<LoadedOrder> {
  let number = orderedAs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await bindSample(ctx, order, `K${number}`);
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'sample_already_registered';
      if (!isTaken || tries >= MOST_TRIES) throw error;
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

/** The short number by which laboratories know a user, issued once. */
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
  // Another order of the user may be numbered at the same moment, for another laboratory: the first number stays.
  const { rows: made } = await sql<{ number: string }>`
    insert into patient_numbers as known (user_id, team_id, number)
    values (${userId}, ${team.id}, ${patientNumber(BigInt((rows[0] as { counter: string }).counter))})
        on conflict (user_id) do update set number = known.number returning number`.execute(db);
  return (made[0] as { number: string }).number;
}

/** The order's own account, else the team's oldest active one at the laboratory, else that of the connection. */
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
