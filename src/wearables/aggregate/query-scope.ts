/** The user, the days and the settings of a query. */
export type QueryScope = {
  userId: string;
  teamId: string;
  /** `from` is the first local day. `until` is the day after the last one. */
  from: string;
  until: string;
  /**
   * The part of these days that the query reads, if the timeframe is in minutes or hours; null if the query reads all
   * of the days.
   */
  window: QueryWindow | null;
  /** The time zone for samples without an offset. */
  timeZone: string;
  weekStartsOn: 'monday' | 'sunday';
  /**
   * The providers in the order of preference, the best first. Those that the query names come before those that the
   * team has set.
   */
  providers: readonly string[];
  /**
   * The limit of the SQL statement. It is one more than a response may have rows, so that the process sees if there are
   * too many.
   */
  limit: number;
  /** The most bytes of plain texts in a response. If there are more, the database returns none of the texts. */
  maxTextBytes: number;
};

/** Two local times, or two moments with their local times in the user's zone. The window ends before the second one. */
type QueryWindow =
  | { kind: 'local'; from: string; until: string }
  | { kind: 'moments'; from: string; until: string; begin: string; end: string };
