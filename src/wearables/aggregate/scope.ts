/** For whom, of which days, and how a query is computed. */
export type QueryScope = {
  userId: string;
  teamId: string;
  /** Local days: the first, and the one after the last. */
  from: string;
  until: string;
  /** What of these days is meant where that is not all of them. */
  window: Window | null;
  /** Zone of samples without an offset. */
  timeZone: string;
  weekStartsOn: 'monday' | 'sunday';
  /** Which providers are the better sources, the best first: those that the query names, and then those of the team. */
  providers: readonly string[];
  /** Rows that are answered at most; one more tells that there are more. */
  limit: number;
  /** Bytes of plain texts that are answered at most; where there are more, none of them leaves the database. */
  mostTextBytes: number;
};

/** Local times, or two moments and what clocks showed then in the user's zone. The end is no part of it. */
type Window =
  | { kind: 'wall'; from: string; until: string }
  | { kind: 'moments'; from: string; until: string; begin: string; end: string };
