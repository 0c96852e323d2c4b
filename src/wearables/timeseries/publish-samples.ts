import { willBePublished } from '../is-published.ts';
import type { Writer } from '../user-writer.ts';
import { MAX_EVENT_BYTES, publishEvents, type Publication } from '../../events/publish.ts';
import type { Series } from '../series-type.ts';
import { renderSource } from '../source.ts';
import { sampleEvent } from './events.ts';
import { renderSample, type Sample } from './sample.ts';
import { sourceIdOf, type EnsuredStream } from './streams.ts';

/**
 * What changed in a stream. `version` is its version after the samples were written. `moved` is how many samples came
 * from streams of other apps or devices and are otherwise unchanged.
 */
export type StreamChanges = {
  stream: EnsuredStream;
  series: Series;
  version: number;
  created: Sample[];
  updated: Sample[];
  moved: number;
};

const MAX_SAMPLES = 1_000;
/** After rendering this number of samples, the process does other work before it continues. */
const AT_ONCE = 1_000;
/** The most bytes of an event, apart from its samples. */
const ENVELOPE_BYTES = 4_096;

/** Publishes new and changed samples in separate events. The limits of an event decide how many events these are. */
export async function publishSamples(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  changes: StreamChanges[],
): Promise<void> {
  if (!willBePublished(ctx)) return;
  const chunks = changes.flatMap(({ stream, series, version, created, updated }) =>
    (['created', 'updated'] as const).flatMap((change) => {
      const type = sampleEvent(series, change);
      if (!type) return [];
      return splitIntoChunks(series, change === 'created' ? created : updated).map((samples) => ({
        type,
        stream,
        series,
        version,
        samples,
      }));
    }),
  );
  const publications: Publication[] = [];
  let remaining = 0;
  for (const { type, stream, series, version, samples } of chunks) {
    if (samples.length > remaining) {
      await ctx.giveWay?.();
      remaining = AT_ONCE;
    }
    remaining -= samples.length;
    const data = samples.map((sample) => renderSample(series, stream, sample));
    const source = renderSource(ctx.config, stream);
    const payload = { source, source_id: sourceIdOf(stream), user_id: user.id, version, data };
    publications.push({ type, user, data: payload, origin: ctx.origin });
  }
  await publishEvents(ctx, publications as never);
}

/** Splits samples into chunks for one event each: at most 1,000 samples, and fewer bytes than an event may have. */
function splitIntoChunks(series: Series, samples: Sample[]): Sample[][] {
  const chunks: Sample[][] = [];
  let chunk: Sample[] = [];
  let bytes = 0;
  const shape = shapeBytesOf(series);
  for (const sample of samples) {
    const weight = shape + textBytesOf(sample);
    if (chunk.length === MAX_SAMPLES || bytes + weight > MAX_EVENT_BYTES - ENVELOPE_BYTES) {
      chunks.push(chunk);
      [chunk, bytes] = [[], 0];
    }
    chunk.push(sample);
    bytes += weight;
  }
  return chunk.length > 0 ? [...chunks, chunk] : chunks;
}

/**
 * Returns the most bytes that the names and numbers of a sample need in JSON, with its type if the series is keyed by
 * type.
 */
function shapeBytesOf({ interval, value, extras, keyedByType }: Series): number {
  const shape = 150 + (interval ? 74 : 0) + (value === 'blood_pressure' ? 110 : 0) + 40 * Object.keys(extras).length;
  return shape + (keyedByType ? 620 : 0);
}

/** Returns the number of bytes of the texts in a sample. */
const textBytesOf = ({ extra, text }: Sample): number =>
  (extra ? jsonBytes(extra) : 0) + (text === null ? 0 : jsonBytes(text));

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
