import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';

export type ListedOrder = {
  outbox_id: string;
  lab: string;
  order_id: string;
  /** The current status of the order; null if its user is scheduled for deletion. */
  order_status: string | null;
  action: string;
  tests: number[] | null;
  state: string;
  held_by: string | null;
  /** Whether the operator has stopped all messages to the laboratory for the time being. */
  is_lab_held: boolean;
  reason: string | null;
  attempts: number;
  created_at: string;
  sent_at: string | null;
};

const MAX_LISTED = 500;

/** Lists messages to laboratories in one state, oldest first. */
export async function listOutgoing(
  ctx: Ctx,
  { state, lab }: { state: string; lab: string | null },
): Promise<ListedOrder[]> {
  const { rows } = await sql<ListedOrder>`
    select o.id as outbox_id, labs.slug as lab, o.order_id,
           case when users.deleted_at is null then orders.last_status end as order_status,
           o.action, o.tests, o.state, case when o.state = 'held' then o.held_by end as held_by,
           coalesce(s.held_at is not null, false) as is_lab_held, o.last_error as reason,
           o.attempts, o.created_at, o.sent_at
      from laboratory_outbox o join labs on labs.id = o.lab_id
      join orders on orders.user_id = o.user_id and orders.id = o.order_id join users on users.id = o.user_id
      left join laboratory_senders s on s.lab_id = o.lab_id
     where o.state = ${state} and (${lab}::text is null or labs.slug = ${lab})
     order by o.id limit ${MAX_LISTED}`.execute(acrossTeams(ctx).db);
  return rows;
}
