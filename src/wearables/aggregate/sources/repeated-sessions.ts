// Finds sessions that several sources report. For example, a watch and a strap, or two apps of one phone, may record
// the same workout.
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { QueryScope } from '../query-scope.ts';
import type { SummarySelection } from './counted-rows.ts';
import { CountedSessions } from './counted-sessions.ts';
import { rankRows, type Ranked, type Source } from '../../rank.ts';
import { groupSql, matching } from './summary-rows.ts';

/**
 * A session. `start` and `stop` are whole microseconds since 1970. Half of such a number is exact, so the middle of a
 * session is exact too.
 */
type Session = Source & { id: string; group: string; start: number; stop: number };

/** The most sessions that the process compares with each other. */
const MAX_SESSIONS = 20_000;
/** After this number of comparisons, the process does other work before it continues. */
const COMPARED_AT_ONCE = 1_000;
/**
 * Whether a session counts depends on the better sessions that overlap it, and these depend on others in turn. So we
 * read sessions from further days before and after the timeframe. This number of days is enough for a chain of four of
 * the longest sessions.
 */
const DAYS_AROUND = 30;

/**
 * Returns the ids of the sessions that a better source reports too. Throws too_many_matches if it would compare more
 * than 20,000 sessions.
 */
export async function repeatedSessions(
  { db }: TeamCtx | TxCtx<TeamCtx>,
  asked: SummarySelection,
  scope: QueryScope,
): Promise<string[]> {
  const { rows } = await sql<Session>`
    select id, provider, source_type, app_id, device_id, ${groupSql(asked)} as "group",
           (extract(epoch from start_at) * 1000000)::float8 as start,
           (extract(epoch from coalesce(end_at, start_at)) * 1000000)::float8 as stop
      from summaries where ${matching(asked, scope, DAYS_AROUND)} and start_at is not null
     limit ${MAX_SESSIONS + 1}`.execute(db);
  const sessions = await rankRows(rows, scope.providers);
  if (sessions.every(({ position }) => position === 1)) return [];
  if (sessions.length > MAX_SESSIONS) {
    throw new AppError(
      'too_many_matches',
      `More than ${MAX_SESSIONS} sessions of several sources would be compared. Ask for a shorter timeframe.`,
    );
  }
  return (await repeated(sessions)).map(({ id }) => id);
}

type RankedSpan = Pick<Ranked<Session>, 'rank_group' | 'position' | 'start' | 'stop'>;

/** Returns the sessions that do not count: each of them repeats a session of a better source that counts. */
export async function repeated<S extends RankedSpan>(sessions: readonly S[]): Promise<S[]> {
  // A session that ends before it starts overlaps nothing, so it needs no comparison.
  const inOrder = sessions
    .filter(({ start, stop }) => start <= stop)
    .sort((a, b) => a.rank_group - b.rank_group || a.position - b.position);
  const left: S[] = [];
  let compared = 0;
  for (const group of runsOf(inOrder, 'rank_group')) {
    const counted = new CountedSessions(group);
    for (const ofSource of runsOf(group, 'position')) {
      // Sessions of the same source are not compared with each other. So we compare all sessions of the source first,
      // and then add those that count.
      const others: S[] = [];
      for (const session of ofSource) {
        (counted.hasSame(session) ? left : others).push(session);
        compared += 1;
        if (compared % COMPARED_AT_ONCE === 0) await nextImmediate();
      }
      for (const session of others) counted.add(session);
    }
  }
  return left;
}

/** Splits sorted sessions into groups of consecutive sessions with the same value. */
function* runsOf<S extends RankedSpan>(sessions: readonly S[], key: 'rank_group' | 'position'): Generator<S[]> {
  for (let from = 0, to = 0; from < sessions.length; from = to) {
    while (to < sessions.length && sessions[to]?.[key] === sessions[from]?.[key]) to += 1;
    yield sessions.slice(from, to);
  }
}
