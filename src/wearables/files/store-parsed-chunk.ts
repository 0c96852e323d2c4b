import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { UserRow } from '../../users/find.ts';
import { storeSummaries, type Outcome, type StoredSummary } from '../summaries/store-summaries.ts';
import { asWriter, type Writer } from '../user-writer.ts';
import { toSampleOfSource, withinBounds } from '../timeseries/to-sample-of-source.ts';
import { storeSamples } from '../timeseries/store-samples.ts';
import {
  checkedSummary,
  impossible,
  isSample,
  isSleepCycle,
  RESOURCES,
  type CheckedSummary,
} from './checked-summary.ts';
import { extendLease, type ClaimedImport } from './import-lease.ts';
import type { ParsedChunk } from './parse-file.ts';
import type { SummaryItem } from '../summaries/resource.ts';
import { addSkipped, sumOf, type Skipped } from './skipped.ts';
import { hashSources } from './hash-sources.ts';

type Counts = Record<'created' | 'updated' | 'unchanged' | 'outside_ingestion_bounds', number> & {
  skipped: Skipped[];
};

/**
 * Stores a chunk of a file, by the functions that store pushed samples and summaries. The same transaction updates the
 * counts of the import, so that the counts match the stored data. Throws LeaseLost, and the errors of findUser and
 * storeSamples.
 */
export function storeParsedChunk(ctx: TeamCtx, claimed: ClaimedImport, chunk: ParsedChunk): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const skipped = await extendLease(tx, claimed);
    const counts = await asWriter(tx, { user_id: claimed.user_id, origin: 'import' }, (tx, user) =>
      storeOf(tx, user, chunk),
    );
    await countOnImport(tx, claimed, { ...chunk, ...counts, skipped_before: skipped });
  });
}

async function storeOf(
  ctx: Writer,
  user: UserRow,
  { samples, summaries, skipped }: Pick<ParsedChunk, 'samples' | 'summaries' | 'skipped'>,
): Promise<Counts> {
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, outside_ingestion_bounds: 0, skipped: [...skipped] };
  await storeOfSeries(ctx, user, samples, counts);
  await storeOfSummaries(ctx, user, summaries, counts);
  return counts;
}

function countOnImport(
  { db, team }: TxCtx<TeamCtx>,
  { user_id, id }: ClaimedImport,
  {
    progress,
    kind,
    created,
    updated,
    unchanged,
    outside_ingestion_bounds,
    skipped,
    skipped_before,
  }: Counts & Pick<ParsedChunk, 'progress' | 'kind'> & { skipped_before: Skipped[] },
): Promise<unknown> {
  for (const each of skipped) addSkipped(skipped_before, each);
  const by_type = skipped_before.toSorted((a, b) => b.records - a.records);
  return sql`
    update imports set progress = ${progress}, created = created + ${created}, updated = updated + ${updated},
           unchanged = unchanged + ${unchanged},
           outside_ingestion_bounds = outside_ingestion_bounds + ${outside_ingestion_bounds},
           skipped = skipped + ${sumOf(skipped)}, skipped_by_type = ${JSON.stringify(by_type)}, kind = ${kind}
     where user_id = ${user_id} and id = ${id} and team_id = ${team.id}`.execute(db);
}

async function storeOfSeries(ctx: Writer, user: UserRow, parsed: unknown[], counts: Counts): Promise<void> {
  const samples = hashSources(ctx, user, parsed.filter(isSample)).map(toSampleOfSource);
  const within = withinBounds(user, samples);
  const { created, updated, unchanged } = await storeSamples(ctx, user, within);
  counts.created += created;
  counts.updated += updated;
  counts.unchanged += unchanged;
  counts.outside_ingestion_bounds += samples.length - within.length;
  for (const each of parsed) if (!isSample(each)) addSkipped(counts.skipped, impossible(each));
}

async function storeOfSummaries(ctx: Writer, user: UserRow, parsed: unknown[], counts: Counts): Promise<void> {
  if (parsed.length === 0) return;
  const checked = parsed.map(checkedSummary);
  const summaries = checked.filter((each) => each !== null);
  for (const [n, each] of parsed.entries()) if (!checked[n]?.isWhole) addSkipped(counts.skipped, impossible(each));
  const of = (resource: CheckedSummary['resource']) => summaries.filter((each) => each.resource === resource);
  for (const resource of ['workouts', 'activity', 'body', 'profile', 'electrocardiogram'] as const)
    count(await store(ctx, user, resource, of(resource)), counts);
  const sleeps = of('sleep');
  const stored = await store(ctx, user, 'sleep', sleeps);
  count(stored, counts);
  const cycles = sleeps.flatMap(({ cycle }, n) => {
    const sleep_id = stored[n]?.id ?? null;
    const item: unknown = { ...cycle, sleep_id };
    if (cycle === null || sleep_id === null) return [];
    if (isSleepCycle(item)) return [{ item, raw: null }];
    addSkipped(counts.skipped, impossible({ resource: 'sleep_cycle' }));
    return [];
  });
  // Cycles are not counted. A cycle is a part of a sleep, and the sleep was counted.
  await store(ctx, user, 'sleep_cycle', cycles);
}

async function store(
  ctx: Writer,
  user: UserRow,
  resource: keyof typeof RESOURCES,
  summaries: Pick<CheckedSummary, 'item' | 'raw'>[],
): Promise<StoredSummary[]> {
  if (summaries.length === 0) return [];
  const { stream } = RESOURCES[resource];
  const items = hashSources(
    ctx,
    user,
    summaries.map(({ item }) => item),
  );
  const incoming = summaries.map(({ raw: more }, n) => {
    const item = items[n] as SummaryItem;
    const { [stream ?? '']: _, ...raw } = item;
    return { item, raw: more === null ? raw : { ...raw, ...more } };
  });
  return storeSummaries(ctx, user, RESOURCES[resource], incoming);
}

const COUNTED: Record<Outcome, Exclude<keyof Counts, 'skipped'>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  superseded: 'unchanged',
  outside_ingestion_bounds: 'outside_ingestion_bounds',
};

function count(stored: StoredSummary[], counts: Counts): void {
  for (const { outcome } of stored) counts[COUNTED[outcome]] += 1;
}
