// Looks each minute for polls that are due and for pulls whose job was lost with a killed worker.
import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { pollKind } from './poll.ts';
import { pullKind } from './schedule.ts';

const OVERDUE_SECONDS = 60;
/** Of one run; the next one is a minute away. */
const MOST = 2_000;
const MOST_A_TEAM = 200;

/**
 * Asks for what is due: of each team a share, the longest overdue first. Keys keep jobs from gathering. What belongs to a
 * connection that brings nothing is never due, so as much is read as is asked for.
 */
export async function resumePulls(ctx: Ctx): Promise<void> {
  const { db } = acrossTeams(ctx);
  await sql`
    select graphile_worker.add_job(${pollKind.name},
             json_build_object('team_id', team_id, 'user_id', user_id, 'provider', provider),
             job_key => 'poll ' || user_id || ' ' || provider, priority => place::integer,
             flags => array['waits', 'team ' || team_id])
      from (
        select due.*, row_number() over (partition by team_id order by due_at) as place
          from teams cross join lateral (
            select polls.team_id, polls.user_id, polls.provider, polls.due_at
              from polls join connections using (user_id, provider) join users on users.id = polls.user_id
             where polls.team_id = teams.id and polls.due_at <= now()
               and (polls.leased_until is null or polls.leased_until < now())
               and connections.status = 'connected' and users.deleted_at is null
             order by polls.due_at limit ${MOST_A_TEAM}) as due
      ) as placed
     order by place, due_at limit ${MOST}`.execute(db);
  await sql`
    select graphile_worker.add_job(${pullKind.name},
             json_build_object('team_id', team_id, 'user_id', user_id, 'provider', provider, 'resource', resource),
             job_key => 'pull ' || user_id || ' ' || provider || ' ' || resource,
             priority => 1000 + place::integer, flags => array['waits', 'team ' || team_id])
      from (
        select due.*, row_number() over (partition by team_id order by due_at) as place
          from teams cross join lateral (
            select pulls.team_id, pulls.user_id, pulls.provider, pulls.resource, pulls.due_at
              from pulls join connections using (user_id, provider) join users on users.id = pulls.user_id
             where pulls.team_id = teams.id and pulls.ended_at is null
               and pulls.due_at < now() - make_interval(secs => ${OVERDUE_SECONDS})
               and (pulls.leased_until is null or pulls.leased_until < now())
               and connections.status = 'connected' and users.deleted_at is null
             order by pulls.due_at limit ${MOST_A_TEAM}) as due
      ) as placed
     order by place, due_at limit ${MOST}`.execute(db);
}
