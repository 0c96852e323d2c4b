import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { UserRow } from '../../../users/find.ts';
import { asWriter, type Writer } from '../../one-writer.ts';
import { isWithinBounds, nameOf, toCandidate, type Candidate } from '../../summaries/candidate.ts';
import { readPayloads, type StoredPayload, type Wanted } from '../../summaries/replay/read-payloads.ts';
import { renameSummaries } from '../../summaries/replay/rename.ts';
import type { SummaryItem } from '../../summaries/resource.ts';
import { storeSummaries } from '../../summaries/store.ts';
import { fit } from '../../providers/answers/fitting.ts';
import { objectOr } from '../../providers/answers/read-answer.ts';
import { PullError, type Mapper } from '../../providers/importer.ts';
import { storeSleepCycles } from '../sleep-cycles.ts';

/** What became of stored summaries. */
export type Counts = {
  updated: number;
  unchanged: number;
  /** No longer read by the mapper or left out by it, or known by a name that another has: as they were. */
  skipped: number;
  /** Pushed, read from a file or invented: as they were. */
  not_pulled: number;
};

/** Of a transaction; the longest payloads are some 50 KB. */
const MOST = 200;

type Mapped = { row: StoredPayload; item: SummaryItem; candidate: Candidate };

/**
 * Maps some of a user's payloads again, those behind `after`, and stores what comes of them as all summaries are stored, counting
 * in `counts`. The id to go on behind; null at the end. Throws what findUser throws.
 */
export function replaySome(
  caller: TeamCtx,
  userId: string,
  { wanted, mappers }: { wanted: Wanted; mappers: readonly Mapper[] },
  { after, counts }: { after: string | null; counts: Counts },
): Promise<string | null> {
  // Payloads are read behind the lock, or a pull's newer ones would be taken back.
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

/** The payload of what is pushed, read from a file or invented is the summary itself, which names its provider. */
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
    const candidate = toCandidate(ctx, user, mapper.resource, { item, raw: row.raw });
    return isWithinBounds(user, candidate) ? [{ row, item, candidate }] : [];
  });
  const kept = await underTheirNames(ctx, user, mapped);
  const stored = await storeSummaries(
    ctx,
    user,
    mapper.resource,
    kept.map(({ row, item }) => ({ item, raw: row.raw })),
  );
  await storeSleepCycles(ctx, user, { resource: mapper.resource, incoming: kept }, stored);
  counts.skipped += rows.length - kept.length;
  for (const [n, { row, candidate }] of kept.entries()) {
    const hasOtherPoints = candidate.stream !== null && !row.stream_hash?.equals(candidate.stream.hash);
    counts[stored[n]?.outcome === 'updated' || hasOtherPoints ? 'updated' : 'unchanged'] += 1;
  }
}

/** What the mapper makes of a payload now; null where it makes nothing of it that can be kept. */
function itemOrNull(mapper: Mapper, { raw }: StoredPayload): SummaryItem | null {
  try {
    const item = mapper.toItem(objectOr(raw));
    return item && fit(mapper.resource, item).item;
  } catch (error) {
    if (error instanceof PullError) return null;
    throw error;
  }
}

/** Those that are stored under the names that they have by the mapper of today, or can be; of one kind. */
async function underTheirNames(ctx: TxCtx<TeamCtx>, user: UserRow, mapped: Mapped[]): Promise<Mapped[]> {
  const others = mapped.filter(({ row, candidate }) => nameOf(candidate) !== nameOf(row));
  const renamed = await renameSummaries(
    ctx,
    user,
    others.map(({ row, candidate: { source_type, key } }) => ({ id: row.id, source_type, key })),
  );
  return mapped.filter((each) => !others.includes(each) || renamed.has(each.row.id));
}
