// Which of several sources is the better one. Everything is kept as it came; only reading chooses.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BY_HAND } from './by-hand.ts';
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

/** An app on a device, of which provider and kind alone may be known. */
export type Source = { provider: string; source_type: string; app_id: string | null; device_id: string | null };

/** A source and where it stands: among which others, and its place among those, 1 for the best. */
export type Ranked<S> = S & { rivals: number; place: number };

/** How many rows are placed before other requests have their turn. */
const ROWS_AT_ONCE = 1_000;

/**
 * Sources in the order in which they count: by the order of providers, which has the ones that the query names first and then
 * those of the team, by the kind of device, and else by the names of app and device, so that the order in which data arrived decides
 * nothing; what does not name its app comes after what does, and what a person typed in last. `apartBy` tells groups from each
 * other that are no rivals.
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
  return [...groups.values()].flatMap((group, rivals) =>
    inOrder(group, providers).map((source, n): Ranked<S> => ({ ...source, rivals, place: n + 1 })),
  );
}

/** Rows with the place of their source; `group` tells those from each other that are no rivals. */
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
    if (n % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await nextTurn();
  }
  const ranked: Ranked<R>[] = [];
  let [rivals, next] = [0, ROWS_AT_ONCE];
  for (const group of groups.values()) {
    const rowsBy = new Map([...group.values()].map((ofSource) => [ofSource[0] as R, ofSource]));
    for (const [n, first] of inOrder([...rowsBy.keys()], providers).entries()) {
      for (const row of rowsBy.get(first) as R[]) ranked.push({ ...row, rivals, place: n + 1 });
      if (ranked.length < next) continue;
      next = ranked.length + ROWS_AT_ONCE;
      await nextTurn();
    }
    rivals += 1;
  }
  return ranked;
}

/** The better ones first; what lists say of each is looked up once. */
function inOrder<S extends Source>(sources: readonly S[], providers: readonly string[]): S[] {
  if (sources.length === 1) return [...sources];
  return sources
    .map((source) => ({
      source,
      provider: placeIn(providers, source.provider),
      type: placeIn(SOURCE_TYPE_ORDER, source.source_type),
    }))
    .sort((a, b) => a.provider - b.provider || a.type - b.type || compareNames(a.source, b.source))
    .map(({ source }) => source);
}

/** The same order for what a source tells of: of sources that are equally good its own comes first, then others of its provider. */
export const rankFor = <S extends Source>(own: Source, sources: readonly S[], providers: readonly string[]): S[] =>
  sources.toSorted(
    (a, b) => compareQuality(a, b, providers) || unlikeness(own, a) - unlikeness(own, b) || compareNames(a, b),
  );

/** In how much it differs: another provider differs in all. */
function unlikeness(own: Source, { provider, source_type, app_id, device_id }: Source): number {
  if (provider !== own.provider) return 4;
  if (source_type !== own.source_type) return 3;
  return Number(app_id !== own.app_id) + Number(device_id !== own.device_id);
}

const compareQuality = (a: Source, b: Source, providers: readonly string[]): number =>
  placeIn(providers, a.provider) - placeIn(providers, b.provider) ||
  placeIn(SOURCE_TYPE_ORDER, a.source_type) - placeIn(SOURCE_TYPE_ORDER, b.source_type);

/** What decides where nothing else does. */
export const compareNames = (a: Source, b: Source): number =>
  byName(a.provider, b.provider) ||
  byName(a.source_type, b.source_type) ||
  Number(a.app_id === BY_HAND.app_id) - Number(b.app_id === BY_HAND.app_id) ||
  byName(a.app_id, b.app_id) ||
  byName(a.device_id, b.device_id);

/** What no order names comes after all that it does. */
function placeIn(order: readonly string[], name: string): number {
  const place = order.indexOf(name);
  return place === -1 ? order.length : place;
}

/** No name comes last. */
function byName(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}
