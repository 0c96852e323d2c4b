import { sql } from 'kysely';
import { decode } from '@phial/hl7/encoding';
import { Hl7Error, segmentOf, textAt, type Message } from '@phial/hl7/message';
import { parse } from '@phial/hl7/parse';
import type { Ctx, TxCtx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/team-scope.ts';
import { findCodes, findConnectionOrNull, type Connection } from '../connections/find-connection.ts';
import { ReportRefused } from '../../../results/report-bounds.ts';
import { checkEnvelope, checkHeader, readResult, type ReadResult } from '../messages/read-result.ts';
import { ResultProblem, type Warnings } from '../messages/result-problem.ts';
import { applyOrderUpdates, isAboutOrders } from './apply-order-updates.ts';
import { applyResult, type Note } from './apply-result.ts';
import { refuseOtherUser } from './check-patient.ts';
import { findOrder, type MatchedOrder } from './find-order.ts';
import { handToTeam } from './hand-to-team.ts';
import { storedWaitsOf, hasOtherContent, withoutWaiting } from './waiting-parts.ts';
import { blankMessage, SEALED_FOR, type MessageState } from './store-message.ts';

/** What happened to a message. `reason` is the code of the problem, if there is one. */
export type Applied = { state: MessageState; reason: string | null };

/**
 * With `dropUnreadable`, we discard the unreadable parts of the message instead of waiting for a repair. The tests in
 * those parts get the statuses that the laboratory reported.
 */
type How = { dropUnreadable?: boolean };

/**
 * Applies a stored message. If we applied it before, nothing changes. If some parts are unreadable, they wait for the
 * operator, and the function applies the other parts. If the problem concerns the entire message, the entire message
 * waits. The function throws any other error, and a job then applies the message again.
 */
export async function applyMessage(ctx: Ctx, id: string, { dropUnreadable = false }: How = {}): Promise<Applied> {
  let matched: MatchedOrder | null = null;
  try {
    return await inTransaction(acrossTeams(ctx), async (tx) => {
      const row = await lockMessage(tx, id);
      if (row === null) return { state: 'discarded', reason: null };
      if (row.state === 'applied' || row.state === 'discarded') return { state: row.state, reason: null };
      const connection = await findConnectionOrNull(tx, row.lab_id);
      if (!connection) throw new ResultProblem('unknown_sender');
      const { message, warnings } = readMessage(row.raw, connection);
      if (isAboutOrders(segmentOf(message, 'MSH'))) {
        await applyOrderUpdates(tx, { message, connection }, (of) => {
          matched = of;
        });
        await markAs(tx, id, { state: 'applied', reason: null, matched });
        return { state: 'applied', reason: null };
      }
      const read = readResult(message, connection, await findCodes(tx, connection.lab_id), warnings);
      const result = dropUnreadable ? withoutWaiting(read) : read;
      await storeFindings(tx, id, result);
      try {
        matched = await findOrder(tx.db, row.lab_id, result);
      } catch (error) {
        if (!(error instanceof ResultProblem) || !['unknown_number', 'missing_number'].includes(error.code))
          throw error;
        const handed = await handOver(tx, { id, lab_id: row.lab_id }, result);
        if (!handed) throw error;
        return handed;
      }
      return await applyTo(tx, { id, matched, connection }, result);
    });
  } catch (error) {
    if (!(error instanceof ResultProblem || error instanceof Hl7Error || error instanceof ReportRefused)) throw error;
    await inTransaction(acrossTeams(ctx), (tx) => markAs(tx, id, { state: 'failed', reason: error.code, matched }));
    return { state: 'failed', reason: error.code };
  }
}

/**
 * Gives a result whose numbers match no order to one team, as an unmatched result. The people of the team then find the
 * order. Returns null if we cannot find out the team.
 */
async function handOver(
  tx: TxCtx,
  { id, lab_id }: { id: string; lab_id: number },
  result: ReadResult,
): Promise<Applied | null> {
  const [wait] = result.waits;
  if (wait && !hasOtherContent(result)) throw new ResultProblem(wait.reason);
  const team = await handToTeam(tx, lab_id, result);
  if (!team) return null;
  const matched = { ...team, user_id: null, order_id: null };
  if (wait) {
    await markAs(tx, id, { state: 'failed', reason: wait.reason, matched });
    return { state: 'failed', reason: wait.reason };
  }
  const reason = result.hasDocument ? 'unmatched_document_left_out' : 'unmatched';
  await markAs(tx, id, { state: 'applied', reason, matched });
  await blankMessage(tx, id);
  return { state: 'applied', reason: null };
}

type Target = { id: string; matched: MatchedOrder; connection: Connection };

/**
 * Applies a result to its order. It first stores in the message's row whether a part waits for repair, because the
 * order's events show this as `has_results_in_review`.
 */
async function applyTo(tx: TxCtx, { id, matched, connection }: Target, result: ReadResult): Promise<Applied> {
  const team = await findTeamScopeOrNull(tx, matched.team_id);
  if (!team) throw new ResultProblem('unknown_number');
  const patient = result.report?.patient ?? null;
  await refuseOtherUser(tx, { user_id: matched.user_id, patient, settings: connection.settings });
  const reason = result.waits[0]?.reason ?? null;
  if (reason !== null && !hasOtherContent(result)) throw new ResultProblem(reason);
  const state = reason === null ? 'applied' : 'failed';
  await markAs(tx, id, { state, reason, matched });
  const note = await applyResult(forTeam(tx, team), matched, result);
  if (note) tx.log.warn({ lab: connection.slug, message_id: id, reason: note }, NOTED[note]);
  await sql`
    update hl7_messages set reason = ${reason ?? note}, partly_applied = ${reason !== null}
     where id = ${id}`.execute(tx.db);
  return { state, reason };
}

const NOTED: Readonly<Record<Note, string>> = {
  unmatched: 'a result for an order that has ended waits for its team',
  order_ended: 'a message without values came for an order that has ended',
  superseded: 'a value of a result is older than the stored value, and is stored as history',
  document_left_out: 'a document of a result was not stored',
};

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

function readMessage(raw: Buffer, { settings }: Connection): { message: Message; warnings: Warnings } {
  const warnings: Warnings = new Set();
  const message = parse(decode(raw, settings.charset, warnings), warnings);
  const header = segmentOf(message, 'MSH');
  if (isAboutOrders(header)) checkEnvelope(header);
  else checkHeader(header);
  if (textAt(header, 3) !== settings.application || textAt(header, 4) !== settings.facility)
    throw new ResultProblem('unknown_sender');
  return { message, warnings };
}

/**
 * Stores codes that tell the operator three things: which parts of the message we stored as the laboratory wrote them,
 * which parts we omitted, and which parts wait for repair.
 */
async function storeFindings(tx: TxCtx, id: string, { warnings, waits }: ReadResult): Promise<void> {
  const storedWaits = waits.length === 0 ? null : JSON.stringify(storedWaitsOf(waits));
  await sql`
    update hl7_messages set warnings = ${warnings}::text[], waits = ${storedWaits}::jsonb where id = ${id}`.execute(
    tx.db,
  );
}

type Mark = {
  state: MessageState;
  reason: string | null;
  matched: { team_id: string; user_id: string | null; order_id: string | null } | null;
};

/**
 * Sets the state of a message. It also assigns the message to the user of the matched order, even if the message
 * failed. So the message is erased together with that user.
 */
async function markAs(tx: TxCtx, id: string, { state, reason, matched }: Mark): Promise<void> {
  await sql`
    update hl7_messages set state = ${state}, reason = ${reason}, decided_at = now(),
           team_id = ${matched?.team_id ?? null}, user_id = ${matched?.user_id ?? null},
           order_id = ${matched?.order_id ?? null}
     where id = ${id} and state in ('received', 'failed')`.execute(tx.db);
}
