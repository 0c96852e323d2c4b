import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { SEALED_FOR } from '../inbox/store-message.ts';

/** A message in a list. It contains only ids and codes. */
export type Listed = {
  message_id: string;
  lab: string;
  control_id: string;
  type: string;
  state: string;
  reason: string | null;
  /** Codes of parts of an applied message that we stored as the laboratory wrote them, or that we omitted. */
  warnings: string[];
  order_id: string | null;
  received_at: string;
};

const MAX_LISTED = 500;

/** Lists messages of laboratories in one state, oldest first. */
export async function listMessages(ctx: Ctx, { state, lab }: { state: string; lab: string | null }): Promise<Listed[]> {
  const { rows } = await sql<Listed>`
    select m.id as message_id, labs.slug as lab, m.control_id, m.message_type as type, m.state, m.reason, m.warnings,
           m.order_id, m.received_at
      from hl7_messages m join labs on labs.id = m.lab_id
     where m.state = ${state} and (${lab}::text is null or labs.slug = ${lab})
     order by m.received_at limit ${MAX_LISTED}`.execute(acrossTeams(ctx).db);
  return rows;
}

/**
 * Returns a message as it arrived; null if there is none, or if its text was deleted. The text contains personal data
 * and is only for the operator.
 */
export async function readMessage(ctx: Ctx, id: string): Promise<Buffer | null> {
  const { rows } = await sql<{ raw: Buffer | null }>`select raw from hl7_messages where id = ${id}`.execute(
    acrossTeams(ctx).db,
  );
  const [row] = rows;
  if (!row?.raw) return null;
  return Buffer.from(ctx.cipher.openText('hl7_messages.raw', { team_id: SEALED_FOR, id }, row.raw), 'latin1');
}
