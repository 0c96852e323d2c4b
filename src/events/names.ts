import { SERIES } from '../wearables/series.ts';
import { SUMMARY_NAMES } from '../wearables/summary-names.ts';

/**
 * The names of wearable data in event types: series, summaries, and the points of workouts. Events about devices are
 * named in another way, so the summary `device` is left out.
 */
const RESOURCES = [
  ...SERIES.flatMap(({ event }) => event ?? []),
  ...SUMMARY_NAMES.filter((name) => name !== 'device'),
  'workout_stream',
].toSorted();

/**
 * Event types for those who operate an endpoint. They are about no user. An endpoint gets them only if its filters name
 * them.
 */
export const OPERATIONAL_NAMES = ['message.attempt.exhausted', 'endpoint.disabled'];

/**
 * The names of all event types. `defineEvent` defines the schema of each. Filters are these names and prefixes of them.
 * We refuse any other filter.
 */
export const EVENT_NAMES = [
  ...['labtest.order', 'labtest.appointment', 'labtest.match_review'].flatMap(createdAndUpdated),
  'labtest.result.critical',
  'provider.connection.created',
  'provider.connection.error',
  ...createdAndUpdated('provider.device'),
  ...createdAndUpdated('lab_report.parsing_job'),
  'continuous_query.result_table.changed',
  ...OPERATIONAL_NAMES,
  ...RESOURCES.map((resource) => `historical.data.${resource}.created`),
  ...RESOURCES.flatMap((resource) => createdAndUpdated(`daily.data.${resource}`)),
  // The points of a workout are deleted with the workout, so their deletion has no event of its own.
  ...RESOURCES.filter((resource) => resource !== 'workout_stream').map((resource) => `daily.data.${resource}.deleted`),
];

/** Matches a name of EVENT_NAMES, or a prefix of one with `*` in the place of the rest, as `labtest.*`. */
export const EVENT_FILTER_PATTERN = `^${alternatives(EVENT_NAMES.map((name) => name.split('.')))}$`;

/** Returns every filter that matches this name: the name itself, and its prefixes with `.*`. */
export function filtersFor(name: string): string[] {
  const parts = name.split('.');
  return [name, ...parts.slice(1).map((_, n) => `${parts.slice(0, n + 1).join('.')}.*`)];
}

/** Returns all valid filters. */
export const eventFilters = (): string[] => [...new Set(EVENT_NAMES.flatMap(filtersFor))];

/** Returns true if one of the filters matches this name. */
export function matches(filters: string[], name: string): boolean {
  return filtersFor(name).some((filter) => filters.includes(filter));
}

/** As `matches`. Without filters (null), every name is accepted except the operational ones. */
export function filtersAccept(filters: string[] | null, name: string): boolean {
  return filters === null ? !OPERATIONAL_NAMES.includes(name) : matches(filters, name);
}

function createdAndUpdated(what: string): string[] {
  return [`${what}.created`, `${what}.updated`];
}

/**
 * Returns one pattern for all names, in which names share their beginnings. So the pattern stays short. A part `*`
 * matches an asterisk.
 */
function alternatives(names: string[][]): string {
  const behind = new Map<string, string[][]>();
  for (const [first = '', ...rest] of names) behind.set(first, [...(behind.get(first) ?? []), rest]);
  const branches = [...behind].map(([first, rest]) => {
    const further = rest.filter((parts) => parts.length > 0);
    return further.length === 0 ? first : `${first}\\.${alternatives([['\\*'], ...further])}`;
  });
  return branches.length === 1 ? (branches[0] as string) : `(?:${branches.join('|')})`;
}
