// Actions of an organisation on messages from and to laboratories. The operator's commands call the same service
// functions.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { AppError, notFound } from '../../../../errors.ts';
import type { ResultProblemCode } from '../messages/result-problem.ts';
import { giveUpOrder, holdOrder, NotDone, releaseOrder, resendOrder } from '../outbox/outbox-actions.ts';
import { readMessage } from '../repair/list.ts';
import { discardMessage, NothingToRepair, repairMessage, replayMessage } from '../repair/repair-message.ts';
import { changeMessage, shownSegments } from './change-message.ts';
import { isInOutboxOfTeam, messageOfTeamOrNull } from './list-of-team.ts';
import type { LaboratoryMessage, LaboratoryMessageInFull, RepairOutcome, MessageRepair } from './schemas.ts';

/**
 * If a message waits for one of these reasons, it may be about another person than the order's patient. So we show none
 * of its content.
 */
const OF_SOMEBODY_ELSE: ReadonlySet<string> = new Set<ResultProblemCode>([
  'several_orders',
  'several_patients',
  'other_account',
  'patient_mismatch',
]);

/** Finds a message of the team. Throws not_found if it is another team's message, or belongs to no team yet. */
async function findMessageOfTeam(ctx: TeamCtx, id: string): Promise<Static<typeof LaboratoryMessage>> {
  const message = await messageOfTeamOrNull(ctx, id);
  if (!message) throw notFound('Message of a laboratory');
  return message;
}

export async function showMessage(ctx: TeamCtx, id: string): Promise<Static<typeof LaboratoryMessageInFull>> {
  const message = await findMessageOfTeam(ctx, id);
  const isOfOrder = message.reason === null || !OF_SOMEBODY_ELSE.has(message.reason);
  const raw = isOfOrder ? await readMessage(ctx, id) : null;
  const segments = raw && shownSegments(raw);
  return { ...message, is_shown: segments !== null, segments: segments ?? [] };
}

export async function repairByChanges(
  ctx: TeamCtx,
  id: string,
  { changes }: Static<typeof MessageRepair>,
): Promise<Static<typeof RepairOutcome>> {
  const message = await findMessageOfTeam(ctx, id);
  if (message.reason !== null && OF_SOMEBODY_ELSE.has(message.reason))
    throw new AppError(
      'message_not_repairable',
      'This message may be about another person. The operator must find out whose it is.',
    );
  return withRefusals(async () => {
    const raw = await readMessage(ctx, id);
    if (raw === null || message.state !== 'failed') throw new NothingToRepair(`No message ${id} waits to be repaired.`);
    const { message_id, state, reason } = await repairMessage(ctx, id, changeMessage(raw, changes));
    await assignToTeam(ctx, message_id, message);
    return { id: message_id, state, reason };
  });
}

export async function replayOfTeam(ctx: TeamCtx, id: string): Promise<Static<typeof RepairOutcome>> {
  const message = await findMessageOfTeam(ctx, id);
  return withRefusals(async () => {
    const outcome = await replayMessage(ctx, id);
    await assignToTeam(ctx, id, message);
    return { id, ...outcome };
  });
}

export async function discardOfTeam(ctx: TeamCtx, id: string): Promise<Static<typeof RepairOutcome>> {
  await findMessageOfTeam(ctx, id);
  return withRefusals(async () => {
    await discardMessage(ctx, id);
    return { id, state: 'discarded', reason: 'discarded' };
  });
}

/**
 * Gives a repaired message the team and the order of the original message. Otherwise a repaired message that fails
 * before we read its numbers would belong to nobody.
 */
async function assignToTeam(ctx: TeamCtx, id: string, { order_id }: { order_id: string | null }): Promise<void> {
  await sql`
    update hl7_messages set team_id = ${ctx.team.id}, order_id = ${order_id},
           user_id = (select user_id from orders where team_id = ${ctx.team.id} and id = ${order_id})
     where id = ${id} and team_id is null`.execute(acrossTeams(ctx).db);
}

export type OutboxAction = 'resend' | 'give_up' | 'hold' | 'release';
const OUTBOX_ACTIONS: Readonly<Record<OutboxAction, (ctx: Ctx, id: string) => Promise<void>>> = {
  resend: resendOrder,
  give_up: giveUpOrder,
  hold: (ctx, id) => holdOrder(ctx, id, 'organisation'),
  release: (ctx, id) => releaseOrder(ctx, id, 'organisation'),
};

export async function actOnOutbox(ctx: TeamCtx, id: string, action: OutboxAction): Promise<{ success: true }> {
  if (!(await isInOutboxOfTeam(ctx, id))) throw notFound('Message to a laboratory');
  await withRefusals(() => OUTBOX_ACTIONS[action](ctx, id));
  return { success: true };
}

async function withRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NothingToRepair) throw new AppError('message_not_waiting', error.message);
    if (error instanceof NotDone) throw new AppError('message_not_changeable', error.message);
    throw error;
  }
}
