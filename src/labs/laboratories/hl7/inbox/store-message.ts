import { sql } from 'kysely';
import { textAt, type Segment } from '@phial/hl7/message';
import type { Ctx, TxCtx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { newId } from '../../../../ids.ts';

export type MessageState = 'received' | 'applied' | 'failed' | 'discarded';

/** Nobody's: a message is sealed before its team is known. */
export const SEALED_FOR = '00000000-0000-0000-0000-000000000000';

/**
 * Keeps a message as it came, before anything is answered. The same bytes under the same control id are the same message:
 * of what came before, its id and state are told.
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
    insert into hl7_messages as kept (id, lab_id, control_id, content_hash, message_type, raw)
    values (${id}, ${labId}, ${controlId}, ${hash}, ${/^[A-Z0-9^_]*$/.test(type) ? type : ''}, ${sealed})
        on conflict (lab_id, control_id, content_hash) do update set lab_id = kept.lab_id
    returning id, state`.execute(acrossTeams(ctx).db);
  return rows[0] as { id: string; state: MessageState };
}

/**
 * Forgets what a message said, since it lies elsewhere: in the results that a team decides on, or in the message that was
 * mended. It would not go with the user whose it turns out to be. That it came is still known by its hash.
 */
export async function blankMessage(ctx: Ctx | TxCtx, id: string): Promise<void> {
  await sql`update hl7_messages set raw = null where id = ${id}`.execute(ctx.db);
}
