import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { decodeCursor, encodeCursor } from '../../db/page.ts';
import { findUser } from '../../users/find.ts';
import type { Series } from '../resources.ts';
import { renderSource } from '../source.ts';
import { FOREVER, readSamples } from './read-samples.ts';
import { renderSample } from './sample.ts';
import { isPlace, type GroupedQuery, type Place } from './schemas.ts';
import { findStreams } from './streams.ts';

/** A week of a value a minute is one page. Of an hour's samples the same number is more than a year. */
const PAGE = 12_000;
/** Texts are long: these are 6 MiB at most. */
const PAGE_OF_TEXTS = 500;

export const pageOf = ({ value }: Series): number => (value === 'text' ? PAGE_OF_TEXTS : PAGE);

type Group = { source: ReturnType<typeof renderSource>; data: Record<string, unknown>[] };
export type Grouped = { groups: Record<string, Group[]>; next: string | null; next_cursor: string | null };

/**
 * A page of samples by provider and source, source after source and the oldest first. Throws not_found or
 * user_scheduled_for_deletion for the user, invalid_cursor.
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
  // A place in another list is none of this one: it would pass over what is here.
  const isHere = (key: unknown): key is Place => isPlace(key) && ids.has(key[0]);
  const begin = cursor === undefined ? null : decodeCursor(cursor, isHere);
  const groups: Grouped['groups'] = {};
  let room = pageOf(series);
  for (const stream of streams) {
    if (begin && stream.id < begin[0]) continue;
    const from = begin && stream.id === begin[0] ? new Date(begin[1]).toISOString() : query.start_date;
    const span = { from, to: query.end_date ?? FOREVER };
    const samples = await readSamples(ctx, series, stream, { ...span, limit: room + 1 });
    const shown = samples.slice(0, room);
    if (shown.length > 0) {
      const group = {
        source: renderSource(ctx.config, stream),
        data: shown.map((sample) => renderSample(series, stream, sample)),
      };
      (groups[stream.provider] ??= []).push(group);
    }
    const further = samples[room];
    if (further) {
      const next_cursor = encodeCursor([stream.id, Date.parse(further.at)] satisfies Place);
      return { groups, next: next_cursor, next_cursor };
    }
    room -= shown.length;
  }
  return { groups, next: null, next_cursor: null };
}
