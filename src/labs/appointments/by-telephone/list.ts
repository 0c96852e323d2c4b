import { sql } from 'kysely';
import type { Ctx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';

/** A telephone call that the operator has to make. It contains ids and codes only, no personal data. */
export type WaitingAppointment = {
  what: 'book' | 'cancel';
  team_id: string;
  order_id: string;
  appointment_id: string;
  provider: string;
  /** The reason why the scheduler did not accept the cancellation. */
  reason: string | null;
  start_at: string | null;
  since: string;
};

const MAX_LISTED = 500;

/**
 * Lists the calls to make, oldest first: requests for a visit that nobody has booked yet, and cancellations of which
 * nobody has informed the provider yet.
 */
export async function listWaiting(ctx: Ctx, { team }: { team: string | null }): Promise<WaitingAppointment[]> {
  const { rows } = await sql<WaitingAppointment>`
    select * from (
      select 'book' as what, a.team_id, a.order_id, a.id as appointment_id, a.provider, null as reason, a.start_at,
             a.created_at as since
        from appointments a where a.booked_by = 'operator' and a.status = 'pending'
       union all
      select 'cancel', c.team_id, c.order_id, c.appointment_id, c.provider, c.last_error, a.start_at, c.created_at
        from scheduler_calls c join appointments a on a.user_id = c.user_id and a.order_id = c.order_id
          and a.id = c.appointment_id
       where c.by_hand
    ) as waiting
     where ${team}::uuid is null or team_id = ${team}
     order by since, appointment_id limit ${MAX_LISTED}`.execute(acrossTeams(ctx).db);
  return rows;
}
