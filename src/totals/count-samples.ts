import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx } from '../context.ts';

const LIST = 'samples of hour';
/** The hour in UTC in which something is stored, as the part of a total. */
const HOUR = 'YYYY-MM-DD"T"HH24';
const hoursAgo = (hours: number) =>
  sql`array[to_char((now() - make_interval(hours => ${hours})) at time zone 'UTC', ${HOUR})]`;

/** The hours of a day, with the one that has begun. */
const HOURS_SHOWN = 24;
/** A day more than anybody reads, so that no reader and no writer of these rows is disturbed. */
const HOURS_STORED = 2 * HOURS_SHOWN;

/**
 * Returns SQL that counts stored samples of a team, for a `with` of the statement that stores them. `many` is SQL of
 * one row with their number. It is not a trigger as for the other totals, because a trigger on samples would copy each
 * of them.
 */
export const countSamples = (teamId: string, many: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    insert into totals (team_id, list, part, backend, rows)
    select ${teamId}::uuid, ${LIST}, ${hoursAgo(0)}, pg_backend_pid(), many
      from (${many}) as stored (many) where many > 0
        on conflict (team_id, list, part, backend) do update set rows = totals.rows + excluded.rows`;

/** Returns how many samples the team stored in the last 24 hours of the clock, and when these began. */
export async function countSamplesOfDay({ db, team }: TeamCtx): Promise<{ stored: number; since: string }> {
  const { rows } = await sql<{ stored: number; since: string }>`
    select coalesce(sum(rows), 0)::float8 as stored,
           date_trunc('hour', now() - make_interval(hours => ${HOURS_SHOWN - 1})) as since
      from totals where team_id = ${team.id} and list = ${LIST} and part >= ${hoursAgo(HOURS_SHOWN - 1)}`.execute(db);
  return rows[0] as { stored: number; since: string };
}

/** SQL that deletes the hours that nobody reads any more. */
export const dropSampleHours = sql`delete from totals where list = ${LIST} and part < ${hoursAgo(HOURS_STORED)}`;
