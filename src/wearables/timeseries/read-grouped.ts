import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { decodeCursor, encodeCursor } from '../../db/cursor.ts';
import { findUser } from '../../users/find.ts';
import type { Series } from '../series-type.ts';
import { renderSource } from '../source.ts';
import { FOREVER, readSamples } from './read-samples.ts';
import { renderSample } from './sample.ts';
import { isSampleCursor, type GroupedQuery, type SampleCursor } from './schemas.ts';
import { findStreams } from './streams.ts';

/** The most samples of a page: more than a week with one value a minute, or a year with one an hour. */
const PAGE = 12_000;
/** The most samples of a page of texts. This many of the longest texts have 6 MiB. */
const PAGE_OF_TEXTS = 500;

export const pageOf = ({ value }: Series): number => (value === 'text' ? PAGE_OF_TEXTS : PAGE);

type Group = { source: ReturnType<typeof renderSource>; data: Record<string, unknown>[] };
export type Grouped = { groups: Record<string, Group[]>; next: string | null; next_cursor: string | null };

/**
 * Returns a page of samples, grouped by provider and source. One source follows the other, each with the oldest sample
 * first. Throws not_found or user_scheduled_for_deletion for the user, and invalid_cursor.
 */
export async function readGrouped(
  ctx: TeamCtx,
  series: Series,
  userId: string,
  query: Static<typeof GroupedQuery>,
): Promise<Grouped> {
  const cursor = query.next_cursor ?? query.cursor;
  const streams = await findStreams(ctx, userId, { resource: series.name, provider: query.provider });
  if (streams.length === 0) await findUser(ctx, userId);
  const ids = new Set(streams.map(({ id }) => id));
  // We refuse a cursor of another list. With it, this list would begin at a wrong sample and leave others out.
  const isHere = (key: unknown): key is SampleCursor => isSampleCursor(key) && ids.has(key[0]);
  const begin = cursor === undefined ? null : decodeCursor(cursor, isHere);
  const groups: Grouped['groups'] = {};
  let remaining = pageOf(series);
  for (const stream of streams) {
    if (begin && stream.id < begin[0]) continue;
    const from = begin && stream.id === begin[0] ? new Date(begin[1]).toISOString() : query.start_date;
    const span = { from, to: query.end_date ?? FOREVER };
    const samples = await readSamples(ctx, series, stream, { ...span, limit: remaining + 1 });
    const shown = samples.slice(0, remaining);
    if (shown.length > 0) {
      const group = {
        source: renderSource(ctx.config, stream),
        data: shown.map((sample) => renderSample(series, stream, sample)),
      };
      (groups[stream.provider] ??= []).push(group);
    }
    const further = samples[remaining];
    if (further) {
      const next_cursor = encodeCursor([stream.id, Date.parse(further.at)] satisfies SampleCursor);
      return { groups, next: next_cursor, next_cursor };
    }
    remaining -= shown.length;
  }
  return { groups, next: null, next_cursor: null };
}
