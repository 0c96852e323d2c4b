import type { GiveWay } from '../../batch-scheduler.ts';
import type { TeamCtx } from '../../context.ts';
import type { Origin } from '../../events/origin.ts';
import { ownerOf } from '../../fair/round-robin.ts';
import { withinTime } from '../../time-limit.ts';
import type { UserRow } from '../../users/find.ts';
import { calendarDateOf, clockOf } from '../calendar-date.ts';
import { asWriter } from '../user-writer.ts';
import { seriesOrNull } from '../series.ts';
import { deleteAtSource } from '../summaries/deletion/delete-at-source.ts';
import type { SummaryItem, SummaryResource } from '../summaries/resource.ts';
import { storeSummaries } from '../summaries/store-summaries.ts';
import { withinBounds } from '../timeseries/to-sample-of-source.ts';
import { storeSamples } from '../timeseries/store-samples.ts';
import { hasStages, storeSleepCycles } from './sleep-cycles.ts';
import { importSource } from './asking/import-source.ts';
import { LONGEST_PULL_MS, type Pulled, type Importer, type TimeWindow } from '../providers/importer.ts';

/** What was stored of a resource in a window. */
export type StoredResource = {
  /** The local days that have data. */
  days: Set<string>;
  /** The provider's ids of the summaries. */
  provider_ids: Set<string>;
  /** The times of the samples. Empty for a pull of the past, because it has very many. */
  sample_times: string[];
  /** How many records were not stored, or not as a whole, by series and kind of summary. */
  skipped: Record<string, number>;
};

/**
 * Fetches a window of the resources that one request brings, and stores it in chunks. The first of `resources` is the
 * lead, which others name in `with`. Each chunk has a transaction of its own, so that none is open while we wait for
 * the provider. Returns what was stored of each resource. Throws the errors of the importer, and not_found if the user
 * does not exist any more.
 */
export async function storePulled(
  ctx: TeamCtx,
  user: UserRow,
  importer: Importer,
  { resources, window, past }: { resources: readonly string[]; window: TimeWindow; past: boolean },
): Promise<ReadonlyMap<string, StoredResource>> {
  const wanted = new Set(resources);
  const nothing = (): StoredResource => ({ days: new Set(), provider_ids: new Set(), sample_times: [], skipped: {} });
  const stored = new Map(resources.map((name) => [name, nothing()]));
  // If there is only one resource, all data belongs to it.
  const alone = resources.length === 1 ? stored.get(resources[0] as string) : undefined;
  const of = (names: string[]): StoredResource[] => (alone ? [alone] : names.flatMap((name) => stored.get(name) ?? []));
  await withinTime({ ms: LONGEST_PULL_MS, outer: ctx.stopping }, async (signal) => {
    const source = importSource({ ctx, user, signal, past, wanted });
    for await (const chunk of importer.pull(source, resources[0] as string, window)) {
      await storePulledChunk(ctx, user, chunk, past ? 'backfill' : 'live');
      const { samples = [], summaries, skipped } = chunk;
      if (skipped) {
        const { resource: name, many } = skipped;
        // Skipped records of a resource that was not requested count with the lead.
        const [asked] = [...of([seriesOrNull(name)?.event ?? name]), ...of([resources[0] as string])] as [
          StoredResource,
        ];
        asked.skipped[name] = (asked.skipped[name] ?? 0) + many;
      }
      for (const { series, sample } of samples) {
        const day = calendarDateOf(sample.at, clockOf(sample, user));
        for (const { days, sample_times } of of([series.event ?? series.name])) {
          days.add(day);
          if (!past) sample_times.push(sample.at);
        }
      }
      for (const { item } of summaries?.incoming ?? []) {
        const { resource } = summaries as NonNullable<typeof summaries>;
        const { calendar_date } = resource.keyAndTimesOf(item, clockOf(item, user));
        for (const { days, provider_ids } of of(namesOf(resource, item))) {
          if (calendar_date !== null) days.add(calendar_date);
          if (typeof item.provider_id === 'string') provider_ids.add(item.provider_id);
        }
      }
    }
  });
  return stored;
}

/**
 * Returns the names of the resources in a summary: its own, and that of its points (`workout_stream`) or stages
 * (`sleep_cycle`).
 */
function namesOf({ name, stream }: SummaryResource, item: SummaryItem): string[] {
  if (stream === 'stream' && item['stream']) return [name, 'workout_stream'];
  return hasStages(item) ? [name, 'sleep_cycle'] : [name];
}

/**
 * A chunk of up to this many values is stored at once, as interactive work. A larger chunk is a batch, and waits for
 * its turn: the teams take turns in storing batches.
 */
const FEW = 200;

/**
 * Stores a chunk of a response, publishes what is new, and deletes what the provider reports as deleted. Throws
 * not_found if the user does not exist any more.
 */
export function storePulledChunk(ctx: TeamCtx, user: { id: string }, chunk: Pulled, origin: Origin): Promise<void> {
  const { samples = [], summaries, gone, skipped } = chunk;
  if (skipped) ctx.count?.({ what: 'skipped', ...skipped });
  const store = (giveWay?: GiveWay): Promise<void> =>
    asWriter({ ...ctx, ...(giveWay && { giveWay }) }, { user_id: user.id, origin }, async (tx, present) => {
      await storeSamples(tx, present, withinBounds(present, samples));
      if (summaries) {
        const stored = await storeSummaries(tx, present, summaries.resource, summaries.incoming);
        await storeSleepCycles(tx, present, summaries, stored);
      }
      if (gone) await deleteAtSource(tx, present, gone);
    });
  return isBulky(chunk) ? ctx.batches.run(ownerOf(ctx.team), store) : store();
}

function isBulky({ samples = [], summaries }: Pulled): boolean {
  if (samples.length + (summaries?.incoming.length ?? 0) > FEW) return true;
  const points = summaries?.resource.stream;
  return points !== undefined && (summaries?.incoming.some(({ item }) => item[points] !== undefined) ?? false);
}
