/** Which part of a team's data the operations of a tag reach: what a team API key can be limited to. */
const AREA_OF_TAG = {
  users: 'users',
  connections: 'wearables',
  link: 'wearables',
  imports: 'wearables',
  introspect: 'wearables',
  summaries: 'wearables',
  timeseries: 'wearables',
  aggregate: 'wearables',
  continuous_queries: 'wearables',
  insurance: 'insurance',
  lab_tests: 'orders',
  orders: 'orders',
  appointments: 'orders',
  places: 'orders',
  documents: 'orders',
  simulation: 'orders',
  results: 'results',
  unmatched: 'results',
  lab_reports: 'results',
  events: 'events',
  team: 'team',
} as const;

/** A tag of operations that a team's key opens. */
export type TeamTag = keyof typeof AREA_OF_TAG;
export type Area = (typeof AREA_OF_TAG)[TeamTag];

export const AREAS: readonly Area[] = [...new Set(Object.values(AREA_OF_TAG))];

export const areaOf = (tag: TeamTag): Area => AREA_OF_TAG[tag];
