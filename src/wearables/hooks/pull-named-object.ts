import type { TeamCtx } from '../../context.ts';
import { withinTime } from '../../time-limit.ts';
import { asWriter } from '../user-writer.ts';
import type { Claim } from '../pulls/poll-lease.ts';
import { LONGEST_PULL_MS, type Importer, type TimeWindow } from '../providers/importer.ts';
import { importSource } from '../pulls/asking/import-source.ts';
import { storePulledChunk } from '../pulls/store-pulled.ts';
import { deleteAtSource } from '../summaries/deletion/delete-at-source.ts';
import type { InboxRow } from './inbox.ts';

const DAY_MS = 86_400_000;

/**
 * Pulls the summary that a notification names by its id. Returns notifications for the data that is still to be pulled,
 * for example other resources of the same notification.
 */
export async function pullNamedObject(
  ctx: TeamCtx,
  claim: Claim,
  importer: Importer,
  row: InboxRow,
): Promise<InboxRow[]> {
  const { object_resource: resource, object_id: id } = row;
  if (resource === null || id === null || !importer.findOne) return [row];
  const { findOne } = importer;
  const { user, connection } = claim;
  const found = await withinTime({ ms: LONGEST_PULL_MS, outer: ctx.stopping }, (signal) =>
    findOne(importSource({ ctx, user, signal, past: false, wanted: new Set([resource]) }), resource, id),
  );
  if (found === null) return [row];
  const span = row.deleted || found === 'gone' ? await spanOf(ctx, claim, { resource, id }) : null;
  const others = row.resources.filter((each) => each !== resource);
  if (found === 'gone') {
    const gone = { resource, provider: connection.provider, provider_ids: [id] };
    await asWriter(ctx, { user_id: user.id, origin: 'live' }, (tx, present) => deleteAtSource(tx, present, gone));
    return span === null ? [] : besideDeleted({ ...row, resources: others }, span);
  }
  for (const chunk of found) await storePulledChunk(ctx, user, chunk, 'live');
  return span === null ? [{ ...row, resources: others }] : besideDeleted({ ...row, resources: others }, span);
}

/** Returns the times of the stored summary that a notification names; null if the summary is not stored. */
async function spanOf(
  { db, team }: TeamCtx,
  { user, connection: { provider } }: Claim,
  { resource, id }: { resource: string; id: string },
): Promise<TimeWindow | null> {
  const row = await db
    .selectFrom('summaries')
    .select(['start_at', 'end_at'])
    .where('user_id', '=', user.id)
    .where('team_id', '=', team.id)
    .where('resource', '=', resource)
    .where('provider', '=', provider)
    .where('provider_id', '=', id)
    .executeTakeFirst();
  if (!row || row.start_at === null) return null;
  return { from: row.start_at, to: row.end_at ?? row.start_at };
}

/**
 * Returns notifications that make the job look for deleted samples, after a summary was deleted. The provider may also
 * have deleted samples of the time of the summary, or of some hours after it: values of a night are often reported
 * after its end. The span goes from the day before to the day after, because each provider selects data by another
 * moment (start, end or day).
 */
function besideDeleted(row: InboxRow, { from, to }: TimeWindow): InboxRow[] {
  const moved = (moment: string, by: number): string => new Date(Date.parse(moment) + by).toISOString();
  const read = { ...row, deleted: false, span_from: moved(from, -DAY_MS), span_to: moved(to, DAY_MS) };
  return [read, { ...row, deleted: true, span_from: from, span_to: moved(to, DAY_MS / 2) }];
}
