import type { GiveWay } from '../../bulk-work.ts';
import type { TeamCtx } from '../../context.ts';
import { ownerOf } from '../../fair/round-robin.ts';
import { withinTime } from '../../time-limit.ts';
import type { UserRow } from '../../users/find.ts';
import { calendarDateOf, clockOf } from '../calendar-date.ts';
import { asWriter } from '../one-writer.ts';
import { eraseSummaries } from '../summaries/erase.ts';
import { storeSummaries } from '../summaries/store.ts';
import { withinBounds } from '../timeseries/placed-sample.ts';
import { storeSamples } from '../timeseries/store-samples.ts';
import { LONGEST_PULL_MS, type Pulled, type Puller, type Window } from './puller.ts';

/** What a window had. */
export type Stored = {
  /** Local days with data. */
  days: Set<string>;
  /** Its summaries, by the provider's ids. */
  provider_ids: Set<string>;
  /** When its samples were, but of a pull of the past, which has many. */
  sample_times: string[];
};

/**
 * Fetches a window and stores it, piece by piece, each in a transaction of its own and none while the provider is waited
 * for. Throws what the puller throws, and not_found where the user is gone meanwhile.
 */
export async function storePulled(
  ctx: TeamCtx,
  user: UserRow,
  puller: Puller,
  { resource, window, past }: { resource: string; window: Window; past: boolean },
): Promise<Stored> {
  const days = new Set<string>();
  const provider_ids = new Set<string>();
  const sample_times: string[] = [];
  await withinTime({ ms: LONGEST_PULL_MS, outer: ctx.stopping }, async (signal) => {
    for await (const piece of puller.pull({ ctx, user, signal, past }, resource, window)) {
      await storePiece(ctx, user, piece);
      const { samples = [], summaries } = piece;
      for (const { sample } of samples) {
        days.add(calendarDateOf(sample.at, clockOf(sample, user)));
        if (!past) sample_times.push(sample.at);
      }
      for (const { item } of summaries?.incoming ?? []) {
        const { calendar_date } = (summaries as NonNullable<typeof summaries>).resource.placeOf(
          item,
          clockOf(item, user),
        );
        if (calendar_date !== null) days.add(calendar_date);
        if (typeof item.provider_id === 'string') provider_ids.add(item.provider_id);
      }
    }
  });
  return { days, provider_ids, sample_times };
}

/** Values that are stored beside requests; more take turns with other teams'. */
const FEW = 200;

/** Stores a piece of an answer, tells of what is new in it and takes away what is gone. Throws not_found where the user is gone meanwhile. */
export function storePiece(ctx: TeamCtx, user: { id: string }, piece: Pulled): Promise<void> {
  const { samples = [], summaries, gone, skipped } = piece;
  if (skipped) ctx.count?.({ what: 'skipped', ...skipped });
  const store = (giveWay?: GiveWay): Promise<void> =>
    asWriter({ ...ctx, ...(giveWay && { giveWay }) }, user.id, async (tx, present) => {
      await storeSamples(tx, present, withinBounds(present, samples));
      if (summaries) await storeSummaries(tx, present, summaries.resource, summaries.incoming);
      if (gone) await eraseSummaries(tx, present, gone);
    });
  return isBulky(piece) ? ctx.bulk.run(ownerOf(ctx.team), store) : store();
}

function isBulky({ samples = [], summaries }: Pulled): boolean {
  if (samples.length + (summaries?.incoming.length ?? 0) > FEW) return true;
  const points = summaries?.resource.stream;
  return points !== undefined && (summaries?.incoming.some(({ item }) => item[points] !== undefined) ?? false);
}
