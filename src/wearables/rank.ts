// Decides which of several sources is the best. Phial stores the data of all sources and chooses between them only when
// data is read.
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { BY_HAND } from './by-hand.ts';
import type { SourceType } from './source.ts';

/** Devices that measure on the body come before devices that estimate. What a person typed in comes last. */
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

/** A source of data: an app on a device. The ids of app and device are null if they are not known. */
export type Source = { provider: string; source_type: string; app_id: string | null; device_id: string | null };

/**
 * A source with its rank. `rank_group` is the number of the group in which it competes. `position` is its rank in that
 * group, from 1 for the best.
 */
export type Ranked<S> = S & { rank_group: number; position: number };

/** After ranking this number of rows, the process does other work before it continues. */
const ROWS_AT_ONCE = 1_000;

/**
 * Sorts sources, the best first. The order of providers decides first: those that the query names, then those of the
 * team. Then the source type decides. At last the names of app and device decide, so that the result does not depend on
 * the order in which data arrived. A source without an app comes after a source with an app. Data that a person typed
 * in comes last. `apartBy` returns the group of a source. Only sources of one group compete.
 */
export function rank<S extends Source>(
  sources: readonly S[],
  providers: readonly string[],
  apartBy: (source: S) => string,
): Ranked<S>[] {
  const groups = new Map<string, S[]>();
  for (const source of sources) {
    const group = groups.get(apartBy(source));
    if (group) group.push(source);
    else groups.set(apartBy(source), [source]);
  }
  return [...groups.values()].flatMap((group, rank_group) =>
    inOrder(group, providers).map((source, n): Ranked<S> => ({ ...source, rank_group, position: n + 1 })),
  );
}

/** Ranks rows by their source. Only rows with the same `group` compete. */
export async function rankRows<R extends Source & { group: string }>(
  rows: readonly R[],
  providers: readonly string[],
): Promise<Ranked<R>[]> {
  const groups = new Map<string, Map<string, R[]>>();
  for (const [n, row] of rows.entries()) {
    const group = groups.get(row.group) ?? new Map<string, R[]>();
    const source = JSON.stringify([row.provider, row.source_type, row.app_id, row.device_id]);
    const ofSource = group.get(source);
    if (ofSource) ofSource.push(row);
    else group.set(source, [row]);
    groups.set(row.group, group);
    if (n % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await nextImmediate();
  }
  const ranked: Ranked<R>[] = [];
  let [rank_group, next] = [0, ROWS_AT_ONCE];
  for (const group of groups.values()) {
    const rowsBy = new Map([...group.values()].map((ofSource) => [ofSource[0] as R, ofSource]));
    for (const [n, first] of inOrder([...rowsBy.keys()], providers).entries()) {
      for (const row of rowsBy.get(first) as R[]) ranked.push({ ...row, rank_group, position: n + 1 });
      if (ranked.length < next) continue;
      next = ranked.length + ROWS_AT_ONCE;
      await nextImmediate();
    }
    rank_group += 1;
  }
  return ranked;
}

/** Sorts sources, the best first. Looks up the positions of each source in the lists only once. */
function inOrder<S extends Source>(sources: readonly S[], providers: readonly string[]): S[] {
  if (sources.length === 1) return [...sources];
  return sources
    .map((source) => ({
      source,
      provider: indexIn(providers, source.provider),
      type: indexIn(SOURCE_TYPE_ORDER, source.source_type),
    }))
    .sort((a, b) => a.provider - b.provider || a.type - b.type || compareNames(a.source, b.source))
    .map(({ source }) => source);
}

/**
 * Sorts sources by provider and source type, as `rank` does. Among equally good sources, `own` comes first, and then
 * sources with the same app or device.
 */
export const rankFor = <S extends Source>(own: Source, sources: readonly S[], providers: readonly string[]): S[] =>
  sources.toSorted(
    (a, b) => compareQuality(a, b, providers) || unlikeness(own, a) - unlikeness(own, b) || compareNames(a, b),
  );

/** Returns how much a source differs from `own`, from 0 to 4. Another provider counts most. */
function unlikeness(own: Source, { provider, source_type, app_id, device_id }: Source): number {
  if (provider !== own.provider) return 4;
  if (source_type !== own.source_type) return 3;
  return Number(app_id !== own.app_id) + Number(device_id !== own.device_id);
}

const compareQuality = (a: Source, b: Source, providers: readonly string[]): number =>
  indexIn(providers, a.provider) - indexIn(providers, b.provider) ||
  indexIn(SOURCE_TYPE_ORDER, a.source_type) - indexIn(SOURCE_TYPE_ORDER, b.source_type);

/** Compares two sources by name, if everything else is equal. */
export const compareNames = (a: Source, b: Source): number =>
  byName(a.provider, b.provider) ||
  byName(a.source_type, b.source_type) ||
  Number(a.app_id === BY_HAND.app_id) - Number(b.app_id === BY_HAND.app_id) ||
  byName(a.app_id, b.app_id) ||
  byName(a.device_id, b.device_id);

/** Returns the position of a name in an order. A name that is missing there comes last. */
function indexIn(order: readonly string[], name: string): number {
  const index = order.indexOf(name);
  return index === -1 ? order.length : index;
}

/** Compares two names. Null comes last. */
function byName(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}
