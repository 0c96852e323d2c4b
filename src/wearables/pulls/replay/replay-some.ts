import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { UserRow } from '../../../users/find.ts';
import { asWriter, type Writer } from '../../user-writer.ts';
import { isWithinBounds, nameOf, toNewSummary, type NewSummary } from '../../summaries/new-summary.ts';
import { readPayloads, type StoredPayload, type PayloadSelection } from '../../summaries/replay/read-payloads.ts';
import { renameSummaries } from '../../summaries/replay/rename-summaries.ts';
import type { SummaryItem } from '../../summaries/resource.ts';
import { storeSummaries } from '../../summaries/store-summaries.ts';
import { fit } from '../../providers/responses/fitting.ts';
import { objectOr } from '../../providers/responses/read-response.ts';
import { PullError, type Mapper } from '../../providers/importer.ts';
import { storeSleepCycles } from '../sleep-cycles.ts';

/** How many stored summaries had each outcome. */
export type Counts = {
  updated: number;
  unchanged: number;
  /** Not changed, because the mapper makes no summary of the payload, or because another summary has the new key. */
  skipped: number;
  /** Not changed, because the summary was pushed, read from a file or invented. It has no payload of a provider. */
  not_pulled: number;
};

/** The most payloads of one transaction. A long payload has some 50 KB. */
const MOST = 200;

type Mapped = { row: StoredPayload; item: SummaryItem; summary: NewSummary };

/**
 * Maps some of a user's payloads again, those after the id `after`, and stores the summaries as usual. Adds to
 * `counts`. Returns the id after which the next call continues; null at the end. Throws the errors of findUser.
 */
export function replaySome(
  caller: TeamCtx,
  userId: string,
  { wanted, mappers }: { wanted: PayloadSelection; mappers: readonly Mapper[] },
  { after, counts }: { after: string | null; counts: Counts },
): Promise<string | null> {
  // We read the payloads under the lock. Without it, a pull could store newer payloads in between, and the replay would
  // overwrite them.
  return asWriter(caller, { user_id: userId, origin: 'replay' }, async (ctx, user) => {
    const rows = await readPayloads(ctx, user, wanted, { after, most: MOST });
    const pulled = rows.filter(isPulled);
    counts.not_pulled += rows.length - pulled.length;
    for (const mapper of mappers) {
      const ofKind = pulled.filter(({ resource }) => resource === mapper.resource.name);
      if (ofKind.length > 0) await replayKind(ctx, user, mapper, { rows: ofKind, counts });
    }
    return rows.length < MOST ? null : (rows.at(-1)?.id ?? null);
  });
}

/**
 * Whether the payload comes from a pull. A summary that was pushed, read from a file or invented is its own payload, so
 * its payload has the member `provider`.
 */
const isPulled = ({ raw, provider }: StoredPayload): boolean => objectOr(raw)['provider'] !== provider;

async function replayKind(
  ctx: Writer,
  user: UserRow,
  mapper: Mapper,
  { rows, counts }: { rows: StoredPayload[]; counts: Counts },
): Promise<void> {
  const mapped = rows.flatMap((row): Mapped[] => {
    const item = itemOrNull(mapper, row);
    if (item === null || item.provider !== row.provider) return [];
    const summary = toNewSummary(ctx, user, mapper.resource, { item, raw: row.raw });
    return isWithinBounds(user, summary) ? [{ row, item, summary }] : [];
  });
  const renamed = await underTheirNames(ctx, user, mapped);
  const stored = await storeSummaries(
    ctx,
    user,
    mapper.resource,
    renamed.map(({ row, item }) => ({ item, raw: row.raw })),
  );
  await storeSleepCycles(ctx, user, { resource: mapper.resource, incoming: renamed }, stored);
  counts.skipped += rows.length - renamed.length;
  for (const [n, { row, summary }] of renamed.entries()) {
    const hasOtherPoints = summary.stream !== null && !row.stream_hash?.equals(summary.stream.hash);
    counts[stored[n]?.outcome === 'updated' || hasOtherPoints ? 'updated' : 'unchanged'] += 1;
  }
}

/** Returns the summary that the current mapper makes of a payload; null if it could not be stored. */
function itemOrNull(mapper: Mapper, { raw }: StoredPayload): SummaryItem | null {
  try {
    const item = mapper.toItem(objectOr(raw));
    return item && fit(mapper.resource, item).item;
  } catch (error) {
    if (error instanceof PullError) return null;
    throw error;
  }
}

/**
 * Renames stored summaries. The key of a summary identifies it among the summaries of its source. If the current mapper
 * makes another key than the stored one, the stored summary gets the new key. Returns those summaries that have the
 * keys of the current mapper now. All are of one kind.
 */
async function underTheirNames(ctx: TxCtx<TeamCtx>, user: UserRow, mapped: Mapped[]): Promise<Mapped[]> {
  const others = mapped.filter(({ row, summary }) => nameOf(summary) !== nameOf(row));
  const renamed = await renameSummaries(
    ctx,
    user,
    others.map(({ row, summary: { source_type, key } }) => ({ id: row.id, source_type, key })),
  );
  return mapped.filter((each) => !others.includes(each) || renamed.has(each.row.id));
}
