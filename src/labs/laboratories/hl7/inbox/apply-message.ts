import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/scope.ts';
import { decode } from '../codec/encoding.ts';
import { Hl7Error, segmentOf, textAt } from '../codec/message.ts';
import { parse } from '../codec/parse.ts';
import { findCodes, findConnectionOrNull, type Connection } from '../connections/find-connection.ts';
import { ReportRefused } from '../../../results/report-bounds.ts';
import { checkHeader, readResult, type ReadResult } from '../messages/read-result.ts';
import { ResultProblem } from '../messages/result-problem.ts';
import { applyResult } from './apply-result.ts';
import { findOrder, type MatchedOrder } from './find-order.ts';
import { handToTeam } from './hand-to-team.ts';
import { blankMessage, SEALED_FOR, type MessageState } from './store-message.ts';

/** `reason` is a code: of what is wrong with the message. */
export type Applied = { state: MessageState; reason: string | null };

/**
 * Does what a stored message says, once: a message that was applied changes nothing any more. What is wrong with it makes
 * it wait for the operator; anything else that goes wrong is thrown, and it is tried again.
 */
export async function applyMessage(ctx: Ctx, id: string): Promise<Applied> {
  let matched: MatchedOrder | null = null;
  try {
    return await inTransaction(acrossTeams(ctx), async (tx) => {
      const row = await lockMessage(tx, id);
      if (row === null) return { state: 'discarded', reason: null };
      if (row.state === 'applied' || row.state === 'discarded') return { state: row.state, reason: null };
      const connection = await findConnectionOrNull(tx, row.lab_id);
      if (!connection) throw new ResultProblem('unknown_sender');
      const result = await readRaw(tx, row.raw, connection);
      try {
        matched = await findOrder(tx.db, row.lab_id, result);
      } catch (error) {
        if (!(error instanceof ResultProblem) || !['unknown_number', 'missing_number'].includes(error.code))
          throw error;
        const team = await handToTeam(tx, row.lab_id, result);
        if (!team) throw error;
        await markAs(tx, id, {
          state: 'applied',
          reason: result.hasDocument ? 'unmatched_document_left_out' : 'unmatched',
          matched: { ...team, user_id: null, order_id: null },
        });
        await blankMessage(tx, id);
        return { state: 'applied', reason: null };
      }
      const { leftOut } = await applyTo(tx, matched, result);
      const note = leftOut ? 'document_left_out' : null;
      if (note)
        ctx.log.warn({ lab: connection.slug, message_id: id, reason: note }, 'a document of a result is not kept');
      await markAs(tx, id, { state: 'applied', reason: note, matched });
      return { state: 'applied', reason: null };
    });
  } catch (error) {
    if (!(error instanceof ResultProblem || error instanceof Hl7Error || error instanceof ReportRefused)) throw error;
    await inTransaction(acrossTeams(ctx), (tx) => markAs(tx, id, { state: 'failed', reason: error.code, matched }));
    return { state: 'failed', reason: error.code };
  }
}

type Row = { lab_id: number; state: MessageState; raw: Buffer };

async function lockMessage(tx: TxCtx, id: string): Promise<Row | null> {
  const { rows } = await sql<Omit<Row, 'raw'> & { raw: Buffer | null }>`
    select lab_id, state, raw from hl7_messages where id = ${id} for update`.execute(tx.db);
  const [row] = rows;
  if (!row) return null;
  if (row.raw === null) return { ...row, raw: Buffer.of() };
  const raw = tx.cipher.openText('hl7_messages.raw', { team_id: SEALED_FOR, id }, row.raw);
  return { ...row, raw: Buffer.from(raw, 'latin1') };
}

async function readRaw(tx: TxCtx, raw: Buffer, connection: Connection): Promise<ReadResult> {
  const { lab_id, settings } = connection;
  const message = parse(decode(raw, settings.charset ?? 'UTF-8'));
  const header = segmentOf(message, 'MSH');
  checkHeader(header);
  if (textAt(header, 3) !== settings.application || textAt(header, 4) !== settings.facility)
    throw new ResultProblem('unknown_sender');
  return readResult(message, connection, await findCodes(tx, lab_id));
}

async function applyTo(tx: TxCtx, matched: MatchedOrder, result: ReadResult): Promise<{ leftOut: boolean }> {
  const team = await findTeamScopeOrNull(tx, matched.team_id);
  if (!team) throw new ResultProblem('unknown_number');
  return applyResult(forTeam(tx, team), matched, result);
}

type Mark = {
  state: MessageState;
  reason: string | null;
  matched: { team_id: string; user_id: string | null; order_id: string | null } | null;
};

/** The message belongs to the user whose order it names, also where it failed: it goes with that user. */
async function markAs(tx: TxCtx, id: string, { state, reason, matched }: Mark): Promise<void> {
  await sql`
    update hl7_messages set state = ${state}, reason = ${reason}, settled_at = now(),
           team_id = ${matched?.team_id ?? null}, user_id = ${matched?.user_id ?? null},
           order_id = ${matched?.order_id ?? null}
     where id = ${id} and state in ('received', 'failed')`.execute(tx.db);
}
