import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { CLOCKS_DIFFER_MS, toUtc } from '../../../wire/moment.ts';
import { authorOf } from '../../author.ts';
import { findCritical, type Acknowledgement, type SignOff } from './load-critical.ts';
import type { AcknowledgeCriticalResult, CriticalResultEntry, SignOffCriticalResult } from './schemas.ts';

type Entry = Static<typeof CriticalResultEntry>;

/**
 * Stores who took note of a critical result, and whom they told. If somebody has acknowledged it before, nothing
 * changes, and the entry shows the first acknowledgement. Throws called_before_result.
 */
export function acknowledgeCritical(
  ctx: TeamCtx,
  id: string,
  body: Static<typeof AcknowledgeCriticalResult>,
): Promise<Entry> {
  return inTransaction(ctx, async (ctx) => {
    const entry = await lockCritical(ctx, id);
    const acknowledged_by = authorOf(ctx, 'acknowledged_by', body.acknowledged_by ?? null);
    if (entry.status !== 'open') return entry;
    const { called_person = null, read_back = null, note = null } = body;
    const called_at = body.called_at ? toUtc(body.called_at) : null;
    if (called_at !== null) refuseEarlyCall(entry, called_at);
    const acknowledgement: Acknowledgement = { acknowledged_by, called_person, called_at, read_back, note };
    const sealed = ctx.cipher.sealJson('critical_results.acknowledgement', rowKeyOf(ctx, id), acknowledgement);
    await ofEntry(ctx, id)
      .set({ status: 'acknowledged', acknowledged_at: sql<string>`now()`, acknowledgement: sealed })
      .execute();
    return findCritical(ctx, id);
  });
}

/**
 * Stores who has decided about a critical result that was acknowledged. If somebody has signed it off before, nothing
 * changes. Throws critical_result_not_acknowledged.
 */
export function signOffCritical(ctx: TeamCtx, id: string, body: Static<typeof SignOffCriticalResult>): Promise<Entry> {
  return inTransaction(ctx, async (ctx) => {
    const entry = await lockCritical(ctx, id);
    const signed_off_by = authorOf(ctx, 'signed_off_by', body.signed_off_by ?? null);
    if (entry.status === 'signed_off') return entry;
    if (entry.status === 'open')
      throw new AppError(
        'critical_result_not_acknowledged',
        'Nobody has acknowledged this critical result. Acknowledge it before you sign it off.',
      );
    const signOff: SignOff = { signed_off_by, note: body.note ?? null };
    const sealed = ctx.cipher.sealJson('critical_results.sign_off', rowKeyOf(ctx, id), signOff);
    await ofEntry(ctx, id)
      .set({ status: 'signed_off', signed_off_at: sql<string>`now()`, sign_off: sealed })
      .execute();
    return findCritical(ctx, id);
  });
}

/** Clocks differ, and a person who writes down a time leaves out its seconds. So a few minutes before are accepted. */
function refuseEarlyCall({ received_at }: Entry, called_at: string): void {
  if (Date.parse(called_at) >= Date.parse(received_at) - CLOCKS_DIFFER_MS) return;
  const msg = `Value should not be before the result was received (${received_at})`;
  throw new AppError('called_before_result', msg, {
    detail: [{ type: 'value_error', loc: ['body', 'called_at'], msg, input: called_at }],
  });
}

async function lockCritical(ctx: TxCtx<TeamCtx>, id: string): Promise<Entry> {
  await ctx.db
    .selectFrom('critical_results')
    .select('id')
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return findCritical(ctx, id);
}

const rowKeyOf = ({ team }: TxCtx<TeamCtx>, id: string): { team_id: string; id: string } => ({ team_id: team.id, id });

const ofEntry = ({ db, team }: TxCtx<TeamCtx>, id: string) =>
  db.updateTable('critical_results').where('team_id', '=', team.id).where('id', '=', id);
