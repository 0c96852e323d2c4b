import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import type { Series } from '../series-type.ts';
import type { Sample, SampleExtra } from './sample.ts';
import type { Stream } from './streams.ts';

/** A span of time with both ends. */
export type Span = { from: string; to: string };

/**
 * Returns at most `limit` samples of one stream, the oldest first. The statement reads only one stream, because then
 * PostgreSQL uses the primary key, however large the table is.
 */
export async function readSamples(
  ctx: TeamCtx,
  series: Series,
  stream: Stream,
  { from, to, limit }: Span & { limit: number },
): Promise<Sample[]> {
  const { rows } = await sql<Omit<Sample, 'text'>>`
    select at, value, duration_ms, timezone_offset, extra from samples
     where stream_id = ${stream.id} and at >= ${from} and at <= ${to} order by at limit ${limit}`.execute(ctx.db);
  const samples = rows as Sample[];
  if (series.value === 'text') await addTexts(ctx, stream, samples);
  return samples;
}

async function addTexts({ db, cipher, team }: TeamCtx, stream: Stream, samples: Sample[]): Promise<void> {
  const { rows } = await sql<{ at: string; id: string; text: Buffer }>`
    select at, id, text from sample_notes
     where stream_id = ${stream.id} and team_id = ${team.id}
       and at = any(${samples.map(({ at }) => at)}::timestamptz[])`.execute(db);
  const texts = new Map(
    rows.map(({ at, id, text }) => [at, cipher.openText('sample_notes.text', { team_id: team.id, id }, text)]),
  );
  for (const sample of samples) {
    const { text_hash: _, ...extra } = sample.extra as SampleExtra;
    sample.extra = extra;
    sample.text = texts.get(sample.at) ?? null;
  }
}

/** The end of a span without an end: PostgreSQL's `infinity`. */
export const FOREVER = 'infinity';
