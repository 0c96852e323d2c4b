/** For whom, of which days, and how a query is computed. */
export type QueryScope = {
  userId: string;
  teamId: string;
  /** Local days: the first, and the one after the last. */
  from: string;
  until: string;
  /** Zone of samples without an offset. */
  timeZone: string;
  weekStartsOn: 'monday' | 'sunday';
  /** Which providers count first where several tell of one day. */
  providers: readonly string[];
  /** Rows that are answered at most; one more tells that there are more. */
  limit: number;
};
