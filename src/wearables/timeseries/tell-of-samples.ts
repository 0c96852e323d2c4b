import { isTold } from '../is-told.ts';
import type { Writer } from '../one-writer.ts';
import { MOST_EVENT_BYTES, publishEvents, type Publication } from '../../events/publish.ts';
import type { Series } from '../resources.ts';
import { renderSource } from '../source.ts';
import { sampleEvent } from './events.ts';
import { renderSample, type Sample } from './sample.ts';
import { sourceIdOf, type EnsuredStream } from './streams.ts';

/** `version`: of the stream, once they were written; `moved`: how many it took from other apps or devices as they were. */
export type StreamChanges = {
  stream: EnsuredStream;
  series: Series;
  version: number;
  created: Sample[];
  updated: Sample[];
  moved: number;
};

const MOST_SAMPLES = 1_000;
/** Made into JSON without a pause. */
const AT_ONCE = 1_000;
/** What an event holds beside its samples. */
const ENVELOPE_BYTES = 4_096;

/** Publishes what was created and what was updated, each in as many events as their bounds ask for. */
export async function tellOfSamples(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  changes: StreamChanges[],
): Promise<void> {
  if (!isTold(ctx)) return;
  const told = changes.flatMap(({ stream, series, version, created, updated }) =>
    (['created', 'updated'] as const).flatMap((change) => {
      const type = sampleEvent(series, change);
      if (!type) return [];
      return inPieces(series, change === 'created' ? created : updated).map((samples) => ({
        type,
        stream,
        series,
        version,
        samples,
      }));
    }),
  );
  const publications: Publication[] = [];
  let room = 0;
  for (const { type, stream, series, version, samples } of told) {
    if (samples.length > room) {
      await ctx.giveWay?.();
      room = AT_ONCE;
    }
    room -= samples.length;
    const data = samples.map((sample) => renderSample(series, stream, sample));
    const source = renderSource(ctx.config, stream);
    const told = { source, source_id: sourceIdOf(stream), user_id: user.id, version, data };
    publications.push({ type, user, data: told, origin: ctx.origin });
  }
  await publishEvents(ctx, publications as never);
}

/** Pieces of at most 1,000 samples and of fewer bytes than an event may have. */
function inPieces(series: Series, samples: Sample[]): Sample[][] {
  const pieces: Sample[][] = [];
  let piece: Sample[] = [];
  let bytes = 0;
  const shape = shapeBytesOf(series);
  for (const sample of samples) {
    const weight = shape + textBytesOf(sample);
    if (piece.length === MOST_SAMPLES || bytes + weight > MOST_EVENT_BYTES - ENVELOPE_BYTES) {
      pieces.push(piece);
      [piece, bytes] = [[], 0];
    }
    piece.push(sample);
    bytes += weight;
  }
  return piece.length > 0 ? [...pieces, piece] : pieces;
}

/** A bound of what the names and numbers of each sample of a series take as JSON, with the type of one that is keyed by it. */
function shapeBytesOf({ interval, value, extras, keyedByType }: Series): number {
  const shape = 150 + (interval ? 74 : 0) + (value === 'blood_pressure' ? 110 : 0) + 40 * Object.keys(extras).length;
  return shape + (keyedByType ? 620 : 0);
}

/** What is text in a sample. */
const textBytesOf = ({ extra, text }: Sample): number =>
  (extra ? jsonBytes(extra) : 0) + (text === null ? 0 : jsonBytes(text));

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
