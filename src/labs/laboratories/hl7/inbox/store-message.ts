import { sql } from 'kysely';
import { textAt, type Segment } from '@phial/hl7/message';
import type { Ctx, TxCtx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { newId } from '../../../../ids.ts';

export type MessageState = 'received' | 'applied' | 'failed' | 'discarded';

/**
 * When we seal a message, we do not know its team yet. The cipher binds each value to a team id, so we use this one,
 * which no team has.
 */
export const SEALED_FOR = '00000000-0000-0000-0000-000000000000';

/**
 * Stores the bytes of a message before we acknowledge it. If the same bytes with the same control id (MSH-10) are
 * already stored, the laboratory has repeated the message. Then the function returns the id and the state of the stored
 * message.
 */
export async function storeMessage(
  ctx: Ctx,
  { labId, bytes, header }: { labId: number; bytes: Buffer; header: Segment | null },
): Promise<{ id: string; state: MessageState }> {
  const id = newId();
  const raw = bytes.toString('latin1');
  const hash = ctx.cipher.lookupHash('hl7_message', SEALED_FOR, raw);
  const controlId = textAt(header ?? undefined, 10).slice(0, 200);
  const type = [1, 2]
    .map((component) => textAt(header ?? undefined, 9, { component }))
    .join('^')
    .slice(0, 20);
  const sealed = ctx.cipher.sealText('hl7_messages.raw', { team_id: SEALED_FOR, id }, raw);
  const { rows } = await sql<{ id: string; state: MessageState }>`
    insert into hl7_messages as stored (id, lab_id, control_id, content_hash, message_type, raw)
    values (${id}, ${labId}, ${controlId}, ${hash}, ${/^[A-Z0-9^_]*$/.test(type) ? type : ''}, ${sealed})
        on conflict (lab_id, control_id, content_hash) do update set lab_id = stored.lab_id
    returning id, state`.execute(acrossTeams(ctx).db);
  return rows[0] as { id: string; state: MessageState };
}

/**
 * Deletes the content of a message that another row also contains: an unmatched result of a team, or the repaired
 * message. We erase that row together with its user, but would not find this copy. The hash stays, and shows that the
 * message arrived.
 */
export async function blankMessage(ctx: Ctx | TxCtx, id: string): Promise<void> {
  await sql`update hl7_messages set raw = null where id = ${id}`.execute(ctx.db);
}
