import { setImmediate as nextImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { findUser } from '../../../users/find.ts';
import { openReport } from '../sealed.ts';
import type { StoredReport, StoredResult } from '../stored-report.ts';
import type { ResultTrend } from './schemas.ts';

type Trend = Static<typeof ResultTrend>;
type Line = Trend['lines'][number];
type Point = Line['newest'];
type StoredVersion = Parameters<typeof openReport>[1] & { created_at: string };

/** The most orders whose results a trend shows: for a person with a test each week, those of four years. */
const MAX_ORDERS = 200;
/** A trend shows no further order after this many results, or after this many characters of results. */
const MAX_RESULTS = 20_000;
const MAX_CHARACTERS = 1_048_576;
/** How many orders we read at a time. A report can have several megabytes. */
const AT_ONCE = 5;

/** The results of a line, the newest order first. `newest` is the result that gives the line its name. */
type Found = { named: StoredResult; newest: Point; count: number; points: Point[] };

/**
 * Returns a user's results of all orders as lines, one for each value that was measured and each unit. Only the newest
 * version of each report counts, so a corrected value replaces the earlier one. With `marker`, the lines have their
 * points. Throws not_found, and user_scheduled_for_deletion.
 */
export async function findTrend(ctx: TeamCtx, userId: string, marker: string | undefined): Promise<Trend> {
  const user = await findUser(ctx, userId);
  const wanted = marker?.trim() ? marker.trim().toLowerCase() : null;
  const lines = new Map<string, Found>();
  let results = 0;
  let characters = 0;
  for await (const version of newestVersions(ctx, user.id)) {
    const report = openReport(ctx, version);
    for (const result of report.results.filter((each) => wanted === null || isOf(each, wanted))) {
      addTo(lines, result, { point: pointOf(version.order_id, report, result), isWanted: wanted !== null });
      characters += result.result.length + (result.reference_range?.length ?? 0);
    }
    results += report.results.length;
    if (results >= MAX_RESULTS || characters >= MAX_CHARACTERS) break;
    // A large report takes milliseconds, in which nobody else is served.
    await nextImmediate();
  }
  return {
    user_id: user.id,
    lines: [...lines.values()]
      .map(({ named: { name, slug, loinc, unit }, newest, count, points }): Line => ({
        name,
        slug,
        loinc,
        unit,
        point_count: count,
        newest,
        points: wanted === null ? null : points.toSorted(byTime),
      }))
      .toSorted((a, b) => (`${a.name} ${a.unit}` < `${b.name} ${b.unit}` ? -1 : 1)),
  };
}

/** Adds a result to its line. Its time decides whether it is the newest, because a report can come late. */
function addTo(
  lines: Map<string, Found>,
  result: StoredResult,
  { point, isWanted }: { point: Point; isWanted: boolean },
): void {
  const name = JSON.stringify([result.slug, result.unit]);
  const found = lines.get(name);
  if (!found) {
    // The orders come newest first, so the line has the name of its newest result.
    lines.set(name, { named: result, newest: point, count: 1, points: isWanted ? [point] : [] });
    return;
  }
  found.count += 1;
  if (byTime(found.newest, point) <= 0) found.newest = point;
  if (isWanted) found.points.push(point);
}

/** Reads the newest version of the report of each order of a user, the newest order first. */
async function* newestVersions({ db, team }: TeamCtx, userId: string): AsyncIterable<StoredVersion> {
  let before: string | null = null;
  for (let read = 0; read < MAX_ORDERS; read += AT_ONCE) {
    const { rows }: { rows: StoredVersion[] } = await sql<StoredVersion>`
      select report.* from (
        select user_id, id from orders
         where user_id = ${userId} and team_id = ${team.id} and interpretation is not null
           and (${before}::uuid is null or id < ${before}::uuid)
         order by id desc limit ${AT_ONCE}) as of_user
       cross join lateral (
        select team_id, order_id, version, metadata, results, missing_results, sample_information, created_at
          from lab_results
         where lab_results.user_id = of_user.user_id and lab_results.order_id = of_user.id
         order by version desc limit 1) as report
       order by report.order_id desc`.execute(db);
    yield* rows;
    if (rows.length < AT_ONCE) return;
    before = rows.at(-1)?.order_id as string;
  }
}

const isOf = ({ slug, loinc, loinc_slug, source_markers }: StoredResult, wanted: string): boolean =>
  [slug, loinc, loinc_slug, ...(source_markers ?? []).flatMap((each) => [each.slug, String(each.marker_id)])].some(
    (name) => name?.toLowerCase() === wanted,
  );

function pointOf(order_id: string, { metadata, sample_information }: StoredReport, result: StoredResult): Point {
  const sample = result.source_sample_id === null ? undefined : sample_information[result.source_sample_id];
  return {
    order_id,
    result: result.result,
    value: result.type === 'numeric' ? Number(result.result) : null,
    type: result.type,
    reference_range: result.reference_range,
    min_range_value: result.min_range_value,
    max_range_value: result.max_range_value,
    interpretation: result.interpretation,
    source_interpretation: result.source_interpretation,
    is_final: result.status !== 'partial',
    is_corrected: result.status === 'corrected',
    collected_at: sample?.date_collected?.timestamp ?? metadata.date_collected ?? null,
    reported_at: result.timestamp,
  };
}

const byTime = (a: Point, b: Point): number => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0);
const timeOf = ({ collected_at, reported_at }: Point): string => collected_at ?? reported_at ?? '';
