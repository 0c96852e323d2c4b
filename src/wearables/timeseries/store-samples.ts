import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { askForRuns } from '../ask-for-runs.ts';
import { askForZones } from '../ask-for-zones.ts';
import type { Writer } from '../user-writer.ts';
import type { Source } from '../rank.ts';
import type { Series } from '../series-type.ts';
import type { StoredSource } from '../source.ts';
import { storeRecords, type Recorded } from './store-records.ts';
import { keyOf } from './sample-rows.ts';
import type { Sample } from './sample.ts';
import { samplesByTime, type SamplesByTime } from './samples-by-time.ts';
import {
  ensureStreams,
  sourceKeyOf,
  refuseTooManyBeside,
  streamKeyOf,
  type EnsuredStream,
  type StreamKey,
} from './streams.ts';
import { compareAddends } from './take-over.ts';
import { publishSamples, type StreamChanges } from './publish-samples.ts';
import { writeSamples, type StreamSamples } from './write-samples.ts';

/** A sample with its source. `kind` is its type, if the series is keyed by type. */
export type SampleOfSource = {
  series: Series;
  source: StoredSource;
  kind: string;
  sample: Sample;
  /** The id of the sample's record at its source; null if it is not known. */
  record?: string | null;
};

export type StoredCounts = { created: number; updated: number; unchanged: number };

/**
 * Stores samples of one user, and publishes what is new or has changed. All samples are stored here, whether pushed,
 * pulled or imported. Runs in the caller's transaction. Calls `onStreamsEnsured` with the streams of the samples before
 * anything is written or published.
 *
 * Series, provider, source type and time identify a sample. App and device do not: if several of them send a sample of
 * the same time, the last one replaces the others, in a batch and across batches. If the values are equal, only the app
 * and device of the sample change. In a series that adds up, as steps do, the largest value replaces the others and not
 * the last one.
 */
export async function storeSamples(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  samples: SampleOfSource[],
  onStreamsEnsured?: (streams: EnsuredStream[]) => Promise<void>,
): Promise<StoredCounts> {
  if (samples.length === 0) return { created: 0, updated: 0, unchanged: 0 };
  const streamSamples = await groupByStream(ctx, user, samples);
  await onStreamsEnsured?.(streamSamples.map(({ stream }) => stream));
  const { changes, refused } = await writeSamples(ctx, streamSamples);
  await storeNotes(ctx, changes);
  await storeRecords(ctx, user, recordsOf(streamSamples, samples, refused));
  await publishSamples(ctx, user, changes);
  await askForRuns(ctx, user, changedSeries(changes));
  await askForZones(ctx, user, heartRateTimes(changes));
  const created = changes.reduce((sum, change) => sum + change.created.length, 0);
  const updated = changes.reduce((sum, change) => sum + change.updated.length, 0);
  return { created, updated, unchanged: samples.length - created - updated };
}

/** Returns the records of those samples that are stored and have a record. */
function recordsOf(
  streamSamples: RecordedSamples[],
  samples: SampleOfSource[],
  refused: ReadonlySet<string>,
): Recorded[] {
  if (!samples.some(({ record }) => record)) return [];
  return streamSamples.flatMap(({ stream, records }) =>
    [...records].flatMap(([at, record]) =>
      refused.has(keyOf({ stream_id: stream.id, sample: { at } }))
        ? []
        : [{ stream_id: stream.id, at, provider: stream.provider, record }],
    ),
  );
}

const changedSeries = (changes: StreamChanges[]): string[] =>
  changes.flatMap(({ series, created, updated, moved }) =>
    created.length + updated.length + moved > 0 ? [series.name] : [],
  );

const heartRateTimes = (changes: StreamChanges[]): string[] =>
  changes.flatMap(({ series, created, updated }) =>
    series.name === 'heartrate' ? [...created, ...updated].map(({ at }) => at) : [],
  );

/** The samples of a stream, with `records` by the times of the samples. */
type RecordedSamples = StreamSamples & { stream: EnsuredStream; records: Map<string, string> };

/** The samples of one stream. `outranked` are the times at which another stream has the sample that is stored. */
type Group = {
  key: StreamKey;
  series: Series;
  byTime: SamplesByTime;
  records: Map<string, string>;
  outranked: string[];
};

/**
 * Groups samples by stream. The groups are in the order of the table's key. All batches lock in this order, so they
 * cannot deadlock.
 */
async function groupByStream(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  samples: SampleOfSource[],
): Promise<RecordedSamples[]> {
  const byKey = new Map<string, Group>();
  const groupsBySource = new Map<string, Group[]>();
  let last: { of: SampleOfSource; group: Group; beside: Group[] } | null = null;
  for (const each of samples) {
    // Samples that follow each other mostly have the same source, so the key is made only when the source changes. A
    // key for each sample would take as much time as everything else here.
    if (!last || !isSameStream(last.of, each)) {
      const key: StreamKey = { ...each.source, resource: each.series.name, kind: each.kind };
      const text = streamKeyOf(key);
      const ofSource = groupsBySource.get(sourceKeyOf(key)) ?? [];
      const group = byKey.get(text) ?? {
        key,
        series: each.series,
        byTime: samplesByTime(),
        records: new Map(),
        outranked: [],
      };
      if (!byKey.has(text)) {
        byKey.set(text, group);
        groupsBySource.set(sourceKeyOf(key), ofSource);
        ofSource.push(group);
        refuseTooManyBeside(ofSource.map((each) => each.key));
      }
      last = { of: each, group, beside: ofSource.filter((other) => other !== group) };
    }
    last.group.byTime.set(each.sample);
    if (each.record) last.group.records.set(each.sample.at, each.record);
    if (each.series.additive) continue;
    for (const { byTime, records } of last.beside) {
      byTime.delete(each.sample.at);
      records.delete(each.sample.at);
    }
  }
  for (const groups of groupsBySource.values()) if (groups.length > 1) retainLarger(groups);
  // A group is empty if another app or device sent a later sample for each of its times.
  for (const [text, { byTime, outranked }] of byKey) if (byTime.isEmpty() && outranked.length === 0) byKey.delete(text);
  const streams = await ensureStreams(
    ctx,
    user,
    [...byKey.values()].map(({ key }) => key),
  );
  return [...byKey]
    .map(([text, { series, byTime, records, outranked }]) => ({
      stream: streams.get(text) as EnsuredStream,
      series,
      records,
      outranked,
      samples: byTime.list(),
    }))
    .sort((a, b) => a.stream.id - b.stream.id);
}

/** Retains one sample for each time in a series that adds up: the best one of the last samples of all groups. */
function retainLarger(groups: Group[]): void {
  const best = new Map<string, { group: Group; sample: Sample }>();
  for (const group of groups) {
    if (!group.series.additive) return;
    for (const sample of group.byTime.list()) {
      const { at } = sample;
      const other = best.get(at);
      const counts = !other || compareAddends(sample, other.sample, sourceOf(group), sourceOf(other.group)) < 0;
      if (counts) best.set(at, { group, sample });
      const loser = counts ? other?.group : group;
      if (!loser) continue;
      loser.byTime.delete(at);
      loser.records.delete(at);
      loser.outranked.push(at);
    }
  }
}

const sourceOf = ({ key: { provider, source_type, app_id = null, device_id = null } }: Group): Source => ({
  provider,
  source_type,
  app_id,
  device_id: device_id?.toLowerCase() ?? null,
});

const isSameStream = (a: SampleOfSource, b: SampleOfSource): boolean =>
  a.series === b.series &&
  a.kind === b.kind &&
  a.source.provider === b.source.provider &&
  a.source.source_type === b.source.source_type &&
  a.source.app_id === b.source.app_id &&
  a.source.device_id === b.source.device_id;

async function storeNotes({ db, cipher, team }: TxCtx<TeamCtx>, changes: StreamChanges[]): Promise<void> {
  const notes = changes.flatMap(({ stream, series, created, updated }) =>
    series.value === 'text'
      ? [...created, ...updated].map(({ at, text }) => ({
          stream_id: stream.id,
          at,
          text: text as string,
          id: newId(),
        }))
      : [],
  );
  if (notes.length === 0) return;
  await sql`
    insert into sample_notes (stream_id, at, team_id, id, text)
    select stream_id, at, ${team.id}, id, text from unnest(
      ${notes.map(({ stream_id }) => stream_id)}::bigint[], ${notes.map(({ at }) => at)}::timestamptz[],
      ${notes.map(({ id }) => id)}::uuid[],
      ${notes.map(({ id, text }) => cipher.sealText('sample_notes.text', { team_id: team.id, id }, text))}::bytea[]
    ) as n (stream_id, at, id, text)
    on conflict (stream_id, at) do update set id = excluded.id, text = excluded.text`.execute(db);
}
