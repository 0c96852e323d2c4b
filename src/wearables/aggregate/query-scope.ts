/** The user, the days and the settings of a query. */
export type QueryScope = {
  userId: string;
  teamId: string;
  /** `from` is the first local day. `until` is the day after the last one. */
  from: string;
  until: string;
  /**
   * The part of these days that the query reads, if the timeframe is in minutes or hours or ends at a moment. Null if
   * the query reads complete days.
   */
  window: QueryWindow | null;
  /** The time zone for samples without an offset. */
  timeZone: string;
  weekStartsOn: 'monday' | 'sunday';
  /**
   * The providers in the order of preference, the best first. The order of the query comes before the order of the
   * team.
   */
  providers: readonly string[];
  /**
   * The most rows that the SQL statement returns: one more than a response may have. If the statement returns this
   * number, there are too many rows.
   */
  limit: number;
  /** The most bytes of plain texts in a response. If there are more, the database returns none of the texts. */
  maxTextBytes: number;
};

/**
 * `from` and `until` are local times. `begin` and `end` are the same times as moments. The window ends just before
 * `until` and `end`.
 */
type QueryWindow =
  | { kind: 'local'; from: string; until: string }
  | { kind: 'moments'; from: string; until: string; begin: string; end: string };
