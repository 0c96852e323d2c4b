// A workout that a watch and a strap both recorded, or two apps of one phone, is one workout.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { QueryScope } from '../scope.ts';
import type { SummariesAsked } from './counted-rows.ts';
import { CountedSessions } from './counted-sessions.ts';
import { rankRows, type Ranked, type Source } from '../../rank.ts';
import { groupSql, matching } from './summary-rows.ts';

/** From when to when, in microseconds since 1970: whole numbers, so that half of one is exact. */
type Session = Source & { id: string; group: string; start: number; stop: number };

/** They are compared with each other in this process. */
const MOST_SESSIONS = 20_000;
/** How many are compared before other requests have their turn. */
const COMPARED_AT_ONCE = 1_000;
/** Whether a session counts depends on better ones around it, and that of these on others: four of the longest in a row. */
const DAYS_AROUND = 30;

/**
 * Ids of the sessions that a better source tells of as well. Throws too_many_matches where more than 20,000 would be
 * compared.
 */
export async function repeatedSessions(
  { db }: TeamCtx | TxCtx<TeamCtx>,
  asked: SummariesAsked,
  scope: QueryScope,
): Promise<string[]> {
  const { rows } = await sql<Session>`
    select id, provider, source_type, app_id, device_id, ${groupSql(asked)} as "group",
           (extract(epoch from start_at) * 1000000)::float8 as start,
           (extract(epoch from coalesce(end_at, start_at)) * 1000000)::float8 as stop
      from summaries where ${matching(asked, scope, DAYS_AROUND)} and start_at is not null
     limit ${MOST_SESSIONS + 1}`.execute(db);
  const sessions = await rankRows(rows, scope.providers);
  if (sessions.every(({ place }) => place === 1)) return [];
  if (sessions.length > MOST_SESSIONS) {
    throw new AppError(
      'too_many_matches',
      `More than ${MOST_SESSIONS} sessions of several sources would be compared. Ask for a shorter timeframe.`,
    );
  }
  return (await repeated(sessions)).map(({ id }) => id);
}

type Placed = Pick<Ranked<Session>, 'rivals' | 'place' | 'start' | 'stop'>;

/** Those that are the same as one that counts, of a better source. */
export async function repeated<S extends Placed>(sessions: readonly S[]): Promise<S[]> {
  // What ends before it starts overlaps with nothing.
  const inOrder = sessions
    .filter(({ start, stop }) => start <= stop)
    .sort((a, b) => a.rivals - b.rivals || a.place - b.place);
  const left: S[] = [];
  let compared = 0;
  for (const group of runsOf(inOrder, 'rivals')) {
    const counted = new CountedSessions(group);
    for (const ofSource of runsOf(group, 'place')) {
      // The sessions of one source are not compared with each other: what counts of them is added afterwards.
      const others: S[] = [];
      for (const session of ofSource) {
        (counted.hasSame(session) ? left : others).push(session);
        compared += 1;
        if (compared % COMPARED_AT_ONCE === 0) await nextTurn();
      }
      for (const session of others) counted.add(session);
    }
  }
  return left;
}

/** Those in a row that have the same value. */
function* runsOf<S extends Placed>(sessions: readonly S[], key: 'rivals' | 'place'): Generator<S[]> {
  for (let from = 0, to = 0; from < sessions.length; from = to) {
    while (to < sessions.length && sessions[to]?.[key] === sessions[from]?.[key]) to += 1;
    yield sessions.slice(from, to);
  }
}
