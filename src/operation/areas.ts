/** Maps the tag of an operation to an area of a team's data. A team API key can be limited to some areas. */
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

/** A tag of operations that a team API key can call. */
export type TeamTag = keyof typeof AREA_OF_TAG;
export type Area = (typeof AREA_OF_TAG)[TeamTag];

export const AREAS: readonly Area[] = [...new Set(Object.values(AREA_OF_TAG))];

export const areaOf = (tag: TeamTag): Area => AREA_OF_TAG[tag];
