import type { GiveWay } from '../../bulk-work.ts';
import type { TeamCtx } from '../../context.ts';
import type { Origin } from '../../events/origin.ts';
import { ownerOf } from '../../fair/round-robin.ts';
import { withinTime } from '../../time-limit.ts';
import type { UserRow } from '../../users/find.ts';
import { calendarDateOf, clockOf } from '../calendar-date.ts';
import { asWriter } from '../one-writer.ts';
import { seriesOrNull } from '../resources.ts';
import { deleteAtSource } from '../summaries/deletion/at-source.ts';
import type { SummaryItem, SummaryResource } from '../summaries/resource.ts';
import { storeSummaries } from '../summaries/store.ts';
import { withinBounds } from '../timeseries/placed-sample.ts';
import { storeSamples } from '../timeseries/store-samples.ts';
import { hasStages, storeSleepCycles } from './sleep-cycles.ts';
import { importSource } from './asking/ask-provider.ts';
import { LONGEST_PULL_MS, type Pulled, type Importer, type Window } from '../providers/importer.ts';

/** What a window had of a resource. */
export type Stored = {
  /** Local days with data. */
  days: Set<string>;
  /** Its summaries, by the provider's ids. */
  provider_ids: Set<string>;
  /** When its samples were, but of a pull of the past, which has many. */
  sample_times: string[];
  /** How many records were left out, whole or in part, by series and kind of summary. */
  skipped: Record<string, number>;
};

/**
 * Fetches a window of what is asked for at once, the resource that is asked for first, and stores it, piece by piece, each in a
 * transaction of its own and none while the provider is waited for. Answers what there was of each resource. Throws what the
 * importer throws, and not_found where the user is gone meanwhile.
 */
export async function storePulled(
  ctx: TeamCtx,
  user: UserRow,
  importer: Importer,
  { resources, window, past }: { resources: readonly string[]; window: Window; past: boolean },
): Promise<ReadonlyMap<string, Stored>> {
  const wanted = new Set(resources);
  const nothing = (): Stored => ({ days: new Set(), provider_ids: new Set(), sample_times: [], skipped: {} });
  const stored = new Map(resources.map((name) => [name, nothing()]));
  // Where one resource is asked for alone, all that comes is of it.
  const alone = resources.length === 1 ? stored.get(resources[0] as string) : undefined;
  const of = (names: string[]): Stored[] => (alone ? [alone] : names.flatMap((name) => stored.get(name) ?? []));
  await withinTime({ ms: LONGEST_PULL_MS, outer: ctx.stopping }, async (signal) => {
    const source = importSource({ ctx, user, signal, past, wanted });
    for await (const piece of importer.pull(source, resources[0] as string, window)) {
      await storePiece(ctx, user, piece, past ? 'backfill' : 'live');
      const { samples = [], summaries, skipped } = piece;
      if (skipped) {
        const { resource: name, many } = skipped;
        // What was asked for by the way of others counts with those.
        const [asked] = [...of([seriesOrNull(name)?.event ?? name]), ...of([resources[0] as string])] as [Stored];
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
        const { calendar_date } = resource.placeOf(item, clockOf(item, user));
        for (const { days, provider_ids } of of(namesOf(resource, item))) {
          if (calendar_date !== null) days.add(calendar_date);
          if (typeof item.provider_id === 'string') provider_ids.add(item.provider_id);
        }
      }
    }
  });
  return stored;
}

/** What a summary brings, by the names of resources: itself, and what is made of its points. */
function namesOf({ name, stream }: SummaryResource, item: SummaryItem): string[] {
  if (stream === 'stream' && item['stream']) return [name, 'workout_stream'];
  return hasStages(item) ? [name, 'sleep_cycle'] : [name];
}

/** Values that are stored beside requests; more take turns with other teams'. */
const FEW = 200;

/** Stores a piece of an answer, tells of what is new in it and takes away what is gone. Throws not_found where the user is gone meanwhile. */
export function storePiece(ctx: TeamCtx, user: { id: string }, piece: Pulled, origin: Origin): Promise<void> {
  const { samples = [], summaries, gone, skipped } = piece;
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
  return isBulky(piece) ? ctx.bulk.run(ownerOf(ctx.team), store) : store();
}

function isBulky({ samples = [], summaries }: Pulled): boolean {
  if (samples.length + (summaries?.incoming.length ?? 0) > FEW) return true;
  const points = summaries?.resource.stream;
  return points !== undefined && (summaries?.incoming.some(({ item }) => item[points] !== undefined) ?? false);
}
