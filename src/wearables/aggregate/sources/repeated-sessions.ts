// A workout that a watch and a strap both recorded is one workout.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { QueryScope } from '../scope.ts';
import type { SummariesAsked } from './counted-rows.ts';
import { rankRows, type Ranked } from './rank.ts';
import { groupSql, matching } from './summary-rows.ts';

/** From when to when, in milliseconds since 1970. */
type Session = { id: string; provider: string; source_type: string; group: string; start: number; stop: number };

/** They are compared with each other in this process. */
const MOST_SESSIONS = 20_000;
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
    select id, provider, source_type, ${groupSql(asked)} as "group",
           (extract(epoch from start_at) * 1000)::float8 as start,
           (extract(epoch from coalesce(end_at, start_at)) * 1000)::float8 as stop
      from summaries where ${matching(asked, scope, DAYS_AROUND)} and start_at is not null
     limit ${MOST_SESSIONS + 1}`.execute(db);
  const sessions = rankRows(rows, scope.providers);
  if (sessions.every(({ place }) => place === 1)) return [];
  if (sessions.length > MOST_SESSIONS) {
    throw new AppError(
      'too_many_matches',
      `More than ${MOST_SESSIONS} sessions of several sources would be compared. Ask for a shorter timeframe.`,
    );
  }
  return repeated(sessions).map(({ id }) => id);
}

type Placed = Pick<Ranked<Session>, 'rivals' | 'place' | 'start' | 'stop'>;

/** Those that are the same as one that counts, of a better source. */
export function repeated<S extends Placed>(sessions: readonly S[]): S[] {
  const inOrder = sessions.toSorted((a, b) => a.rivals - b.rivals || a.place - b.place);
  const left: S[] = [];
  let counted: S[] = [];
  let longest = 0;
  for (let from = 0; from < inOrder.length;) {
    const { rivals, place } = inOrder[from] as S;
    const next = inOrder.findIndex((each, n) => n > from && (each.rivals !== rivals || each.place !== place));
    const ofSource = inOrder.slice(from, next === -1 ? undefined : next);
    if (inOrder[from - 1]?.rivals !== rivals) [counted, longest] = [[], 0];
    // The sessions of one source are not compared with each other: what counts of them is added afterwards.
    const others = ofSource.filter((session) => !isAmong(session, counted, longest));
    const kept = new Set(others);
    left.push(...ofSource.filter((session) => !kept.has(session)));
    counted = [...counted, ...others].sort((a, b) => a.start - b.start);
    longest = others.reduce((most, { start, stop }) => Math.max(most, stop - start), longest);
    from += ofSource.length;
  }
  return left;
}

/** `counted` is in the order of starts, and none of them is longer than `longest`. */
function isAmong(session: Placed, counted: readonly Placed[], longest: number): boolean {
  for (let n = firstFrom(counted, session.start - longest); n < counted.length; n += 1) {
    const other = counted[n] as Placed;
    if (other.start > session.stop) return false;
    if (isSame(session, other)) return true;
  }
  return false;
}

/** They overlap by at least half of the shorter one. */
function isSame(a: Placed, b: Placed): boolean {
  const overlap = Math.min(a.stop, b.stop) - Math.max(a.start, b.start);
  return overlap >= 0 && overlap * 2 >= Math.min(a.stop - a.start, b.stop - b.start);
}

/** Where the first stands that starts at that moment or later. */
function firstFrom(sessions: readonly Placed[], start: number): number {
  let [low, high] = [0, sessions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sessions[middle] as Placed).start < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
