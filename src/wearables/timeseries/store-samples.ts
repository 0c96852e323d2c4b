import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { askForRuns } from '../ask-for-runs.ts';
import { askForZones } from '../ask-for-zones.ts';
import type { Writer } from '../one-writer.ts';
import type { Source } from '../rank.ts';
import type { Series } from '../resources.ts';
import type { StoredSource } from '../source.ts';
import { keepRecords, type Recorded } from './records.ts';
import { keyOf } from './sample-rows.ts';
import type { Sample } from './sample.ts';
import { samplesByTime, type SamplesByTime } from './samples-by-time.ts';
import {
  ensureStreams,
  placeKeyOf,
  refuseTooManyBeside,
  streamKeyOf,
  type EnsuredStream,
  type StreamKey,
} from './streams.ts';
import { compareAddends } from './take-over.ts';
import { tellOfSamples, type StreamChanges } from './tell-of-samples.ts';
import { writeSamples, type Placed } from './write-samples.ts';

/** A sample with where it comes from. `kind` is the type of a series that is keyed by it. */
export type SampleOfSource = {
  series: Series;
  source: StoredSource;
  kind: string;
  sample: Sample;
  /** The source's own id of the record that it is from; left out, nobody knows. */
  record?: string | null;
};

export type StoredCounts = { created: number; updated: number; unchanged: number };

/**
 * Stores samples of one user and tells of what changed: the one way by which samples come in, whoever brings them. A sample
 * is known by its series, provider, kind of device and time, whichever app or device tells of it; the last of a batch and the latest
 * of all wins, and an equal one changes nothing but its app and device. Of what apps and devices send of one time in a series that adds up,
 * the larger counts (record 464). In the caller's transaction: all of them, or none.
 * `onPlaced` hears of their streams before any is written or told.
 */
export async function storeSamples(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  samples: SampleOfSource[],
  onPlaced?: (streams: EnsuredStream[]) => Promise<void>,
): Promise<StoredCounts> {
  if (samples.length === 0) return { created: 0, updated: 0, unchanged: 0 };
  const placed = await place(ctx, user, samples);
  await onPlaced?.(placed.map(({ stream }) => stream));
  const { changes, refused } = await writeSamples(ctx, placed);
  await storeNotes(ctx, changes);
  await keepRecords(ctx, user, recordsOf(placed, samples, refused));
  await tellOfSamples(ctx, user, changes);
  await askForRuns(ctx, user, changedSeries(changes));
  await askForZones(ctx, user, heartRateTimes(changes));
  const created = changes.reduce((sum, change) => sum + change.created.length, 0);
  const updated = changes.reduce((sum, change) => sum + change.updated.length, 0);
  return { created, updated, unchanged: samples.length - created - updated };
}

/** Of the samples that were told with one, as far as they count. */
function recordsOf(placed: PlacedAt[], samples: SampleOfSource[], refused: ReadonlySet<string>): Recorded[] {
  if (!samples.some(({ record }) => record)) return [];
  return placed.flatMap(({ stream, records }) =>
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

/** With the records of those samples that have one, by their times. */
type PlacedAt = Placed & { stream: EnsuredStream; records: Map<string, string> };

/** Of one stream; `outdone` are times of which another one has a sample that counts. */
type Group = {
  key: StreamKey;
  series: Series;
  byTime: SamplesByTime;
  records: Map<string, string>;
  outdone: string[];
};

/** Samples by their streams, in the order of the table's key, so that two batches never wait for each other in a circle. */
async function place(ctx: TxCtx<TeamCtx>, user: { id: string }, samples: SampleOfSource[]): Promise<PlacedAt[]> {
  const byKey = new Map<string, Group>();
  const byPlace = new Map<string, Group[]>();
  let last: { of: SampleOfSource; group: Group; beside: Group[] } | null = null;
  for (const each of samples) {
    // Samples of one source come in a row: making the key of each would cost as much as all else here.
    if (!last || !isSameStream(last.of, each)) {
      const key: StreamKey = { ...each.source, resource: each.series.name, kind: each.kind };
      const text = streamKeyOf(key);
      const ofPlace = byPlace.get(placeKeyOf(key)) ?? [];
      const group = byKey.get(text) ?? {
        key,
        series: each.series,
        byTime: samplesByTime(),
        records: new Map(),
        outdone: [],
      };
      if (!byKey.has(text)) {
        byKey.set(text, group);
        byPlace.set(placeKeyOf(key), ofPlace);
        ofPlace.push(group);
        refuseTooManyBeside(ofPlace.map((each) => each.key));
      }
      last = { of: each, group, beside: ofPlace.filter((other) => other !== group) };
    }
    last.group.byTime.set(each.sample);
    if (each.record) last.group.records.set(each.sample.at, each.record);
    if (each.series.additive) continue;
    for (const { byTime, records } of last.beside) {
      byTime.delete(each.sample.at);
      records.delete(each.sample.at);
    }
  }
  for (const groups of byPlace.values()) if (groups.length > 1) keepLarger(groups);
  // Of which another app or device told last, each time.
  for (const [text, { byTime, outdone }] of byKey) if (byTime.isEmpty() && outdone.length === 0) byKey.delete(text);
  const streams = await ensureStreams(
    ctx,
    user,
    [...byKey.values()].map(({ key }) => key),
  );
  return [...byKey]
    .map(([text, { series, byTime, records, outdone }]) => ({
      stream: streams.get(text) as EnsuredStream,
      series,
      records,
      outdone,
      samples: byTime.list(),
    }))
    .sort((a, b) => a.stream.id - b.stream.id);
}

/** Of each time of a series that adds up, the one sample that counts: what a group was sent last, compared with what others were. */
function keepLarger(groups: Group[]): void {
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
      loser.outdone.push(at);
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
