import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { SEALED_FOR } from '../inbox/store-message.ts';

/** A message that waits, as it is listed: ids and codes. */
export type Listed = {
  message_id: string;
  lab: string;
  control_id: string;
  type: string;
  state: string;
  reason: string | null;
  /** Of what was read as it stood, or left out, although the message was applied. */
  warnings: string[];
  order_id: string | null;
  received_at: string;
};

const MOST_LISTED = 500;

/** Messages of laboratories in a state, oldest first. */
export async function listMessages(ctx: Ctx, { state, lab }: { state: string; lab: string | null }): Promise<Listed[]> {
  const { rows } = await sql<Listed>`
    select m.id as message_id, labs.slug as lab, m.control_id, m.message_type as type, m.state, m.reason, m.warnings,
           m.order_id, m.received_at
      from hl7_messages m join labs on labs.id = m.lab_id
     where m.state = ${state} and (${lab}::text is null or labs.slug = ${lab})
     order by m.received_at limit ${MOST_LISTED}`.execute(acrossTeams(ctx).db);
  return rows;
}

/** The message as it came: personal data, for the operator's eyes. Null where there is none, or it was forgotten. */
export async function readMessage(ctx: Ctx, id: string): Promise<Buffer | null> {
  const { rows } = await sql<{ raw: Buffer | null }>`select raw from hl7_messages where id = ${id}`.execute(
    acrossTeams(ctx).db,
  );
  const [row] = rows;
  if (!row?.raw) return null;
  return Buffer.from(ctx.cipher.openText('hl7_messages.raw', { team_id: SEALED_FOR, id }, row.raw), 'latin1');
}
