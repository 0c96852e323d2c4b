// Which of several sources is the better one. Everything is kept as it came; only reading chooses.
import type { SourceType } from './source.ts';

/** Devices that measure on the body before those that guess, and what was typed in last. */
const SOURCE_TYPE_ORDER: readonly SourceType[] = [
  'insulin_pump',
  'automatic',
  'chest_strap',
  'watch',
  'ring',
  'earphone',
  'cuff',
  'scale',
  'fingerprick',
  'lab',
  'exercise_machine',
  'phone',
  'multiple_sources',
  'app',
  'manual_scan',
  'unknown',
];

export type Source = { provider: string; source_type: string };

/** A source and where it stands: among which others, and its place among those, 1 for the best. */
export type Ranked<S> = S & { rivals: number; place: number };

/**
 * Sources in the order in which they count: by the order of providers, which has the ones that the query names first and then
 * those of the team, by the device, and else by name, so that the order in which data arrived decides nothing. `apartBy` tells
 * groups from each other that are no rivals.
 */
export function rank<S extends Source>(
  sources: readonly S[],
  providers: readonly string[],
  apartBy: (source: S) => string,
): Ranked<S>[] {
  const groups = new Map<string, S[]>();
  for (const source of sources) {
    const key = apartBy(source);
    const group = groups.get(key);
    if (group) group.push(source);
    else groups.set(key, [source]);
  }
  return [...groups.values()].flatMap((group, rivals) =>
    group.sort((a, b) => compare(a, b, providers)).map((source, n): Ranked<S> => ({ ...source, rivals, place: n + 1 })),
  );
}

/** The same order for what a source tells of: of sources that are equally good its own comes first, then others of its provider. */
export const rankFor = <S extends Source>(own: Source, sources: readonly S[], providers: readonly string[]): S[] =>
  sources.toSorted(
    (a, b) => compareQuality(a, b, providers) || unlikeness(own, a) - unlikeness(own, b) || compareNames(a, b),
  );

const unlikeness = (own: Source, { provider, source_type }: Source): number =>
  provider !== own.provider ? 2 : Number(source_type !== own.source_type);

const compare = (a: Source, b: Source, providers: readonly string[]): number =>
  compareQuality(a, b, providers) || compareNames(a, b);

const compareQuality = (a: Source, b: Source, providers: readonly string[]): number =>
  placeIn(providers, a.provider) - placeIn(providers, b.provider) ||
  placeIn(SOURCE_TYPE_ORDER, a.source_type) - placeIn(SOURCE_TYPE_ORDER, b.source_type);

const compareNames = (a: Source, b: Source): number =>
  byName(`${a.provider} ${a.source_type}`, `${b.provider} ${b.source_type}`);

/** What no order names comes after all that it does. */
function placeIn(order: readonly string[], name: string): number {
  const place = order.indexOf(name);
  return place === -1 ? order.length : place;
}

const byName = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Rows with the place of their source; `group` tells those from each other that are no rivals. */
export function rankRows<R extends Source & { group: string }>(
  rows: readonly R[],
  providers: readonly string[],
): Ranked<R>[] {
  const keyOf = ({ provider, source_type, group }: R): string => JSON.stringify([group, provider, source_type]);
  const sources = new Map(rows.map((row) => [keyOf(row), row]));
  const ranked = rank([...sources.values()], providers, ({ group }) => group);
  const places = new Map(ranked.map((source) => [keyOf(source), source]));
  return rows.map((row) => {
    const { rivals, place } = places.get(keyOf(row)) as Ranked<R>;
    return { ...row, rivals, place };
  });
}
