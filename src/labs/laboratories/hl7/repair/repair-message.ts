import { sql } from 'kysely';
import { parseHeader } from '@phial/hl7/parse';
import type { Ctx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { applyMessage, type Applied } from '../inbox/apply-message.ts';
import { blankMessage, storeMessage } from '../inbox/store-message.ts';

/** Thrown if no message with this id waits for repair. */
export class NothingToRepair extends Error {}

/** Applies a message again, for example after the operator mapped an unknown code in it. */
export async function replayMessage(ctx: Ctx, id: string): Promise<Applied> {
  await findFailed(ctx, id);
  return applyMessage(ctx, id);
}

/**
 * Applies every waiting message of a laboratory again, oldest first. Returns how many messages were applied and how
 * many still wait.
 */
export async function replayAll(ctx: Ctx, lab: string): Promise<{ applied: number; failed: number }> {
  const { rows } = await sql<{ id: string }>`
    select m.id from hl7_messages m join labs on labs.id = m.lab_id
     where m.state = 'failed' and labs.slug = ${lab} order by m.received_at`.execute(acrossTeams(ctx).db);
  const counts = { applied: 0, failed: 0 };
  for (const { id } of rows) {
    const { state } = await applyMessage(ctx, id);
    counts[state === 'applied' ? 'applied' : 'failed'] += 1;
  }
  return counts;
}

/**
 * Replaces a waiting message by a repaired one and applies the repaired one. We delete the text of the original
 * message. Its row stays and shows that the message arrived.
 */
export async function repairMessage(ctx: Ctx, id: string, repaired: Buffer): Promise<Applied & { message_id: string }> {
  const { lab_id: labId } = await findFailed(ctx, id);
  const stored = await storeMessage(ctx, { labId, bytes: repaired, header: parseHeader(repaired.toString('latin1')) });
  if (stored.id !== id) {
    await discard(ctx, id, 'repaired');
    await blankMessage(acrossTeams(ctx), id);
  }
  return { message_id: stored.id, ...(await applyMessage(ctx, stored.id)) };
}

/**
 * Discards a message that nobody can repair, or that nobody needs. If its other parts were applied, its tests no longer
 * wait for the discarded parts.
 */
export async function discardMessage(ctx: Ctx, id: string): Promise<void> {
  await findFailed(ctx, id);
  const { rows } = await sql<{ partly_applied: boolean }>`
    select partly_applied from hl7_messages where id = ${id}`.execute(acrossTeams(ctx).db);
  if (rows[0]?.partly_applied) {
    await applyMessage(ctx, id, { dropUnreadable: true });
    await sql`
      update hl7_messages set state = 'discarded', reason = 'discarded'
       where id = ${id} and state in ('failed', 'applied')`.execute(acrossTeams(ctx).db);
    return;
  }
  await discard(ctx, id, 'discarded');
}

async function discard(ctx: Ctx, id: string, reason: string): Promise<void> {
  await sql`
    update hl7_messages set state = 'discarded', reason = ${reason}, decided_at = now()
     where id = ${id} and state = 'failed'`.execute(acrossTeams(ctx).db);
}

async function findFailed(ctx: Ctx, id: string): Promise<{ lab_id: number }> {
  const { rows } = await sql<{ lab_id: number }>`
    select lab_id from hl7_messages where id = ${id} and state = 'failed'`.execute(acrossTeams(ctx).db);
  if (!rows[0]) throw new NothingToRepair(`No message ${id} waits to be repaired.`);
  return rows[0];
}
