import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { withinTime } from '../../time-limit.ts';
import type { Claim } from '../pulls/poll-lease.ts';
import { LONGEST_PULL_MS, type Puller } from '../pulls/puller.ts';
import { eraseGone } from '../pulls/sleep-cycles.ts';
import { storePiece } from '../pulls/store-pulled.ts';
import type { InboxRow } from './inbox.ts';

/** Looks at the one summary that a notification names; what is left of it to be pulled. */
export async function lookAt(
  ctx: TeamCtx,
  { user, connection: { provider } }: Claim,
  puller: Puller,
  { resources, object_resource: resource, object_id: id }: InboxRow,
): Promise<string[]> {
  if (resource === null || id === null || !puller.findOne) return resources;
  const { findOne } = puller;
  const found = await withinTime({ ms: LONGEST_PULL_MS, outer: ctx.stopping }, (signal) =>
    findOne({ ctx, user, signal, past: false, wanted: new Set([resource]) }, resource, id),
  );
  if (found === null) return resources;
  if (found === 'gone') {
    await inTransaction(ctx, (tx) => eraseGone(tx, user, { resource, provider, provider_ids: [id] }));
    return [];
  }
  for (const piece of found) await storePiece(ctx, user, piece, 'live');
  return resources.filter((each) => each !== resource);
}
