// Stores and publishes all summaries, whether they come by push, pull or file.
import type { TeamCtx, TxCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import type { EventType } from '../../events/define.ts';
import { publishEvents, type Publication } from '../../events/publish.ts';
import type { UserRow } from '../../users/find.ts';
import { askForRuns } from '../ask-for-runs.ts';
import { willBePublished } from '../is-published.ts';
import type { Writer } from '../user-writer.ts';
import {
  isOlder,
  isWithinBounds,
  nameOf,
  newestOfEach,
  toNewSummary,
  type NewSummary,
  type IncomingSummary,
} from './new-summary.ts';
import { eventsOf, workoutStreamCreated, workoutStreamUpdated } from './events.ts';
import { addZones, retainZones } from './heart-rate-zones/add-zones.ts';
import { renderShallowStream, renderSummary } from './render.ts';
import type { SummaryResource } from './resource.ts';
import { findRows, insertRows, lockRows, replaceRows, type StoredRow } from './stored-rows.ts';
import { storeSummaryStreams, type IncomingSummaryStream } from './summary-streams/store-summary-streams.ts';

/**
 * What became of an incoming summary. `superseded` means that a newer version was stored before, or came later in the
 * same batch.
 */
export type Outcome = 'created' | 'updated' | 'unchanged' | 'superseded' | 'outside_ingestion_bounds';

export type StoredSummary = { id: string | null; outcome: Outcome };

type Decision = { summary: NewSummary; row: StoredRow; outcome: Exclude<Outcome, 'outside_ingestion_bounds'> };

/**
 * Stores summaries of one kind of a user, and publishes those that are new or have changed, in the caller's
 * transaction. Of two summaries with the same key, the later one is stored, unless its version is older. Pass some
 * hundred at a time, so that the transaction stays short. Returns the outcomes in the order of the summaries. Throws
 * not_found if a summary names a device or another summary that the user does not have.
 */
export async function storeSummaries(
  ctx: Writer,
  user: UserRow,
  resource: SummaryResource,
  incoming: IncomingSummary[],
): Promise<StoredSummary[]> {
  await refuseUnknownReferences(ctx, user, resource, incoming);
  await ctx.giveWay?.();
  const summaries = incoming.map((each) => toNewSummary(ctx, user, resource, each));
  const wanted = newestOfEach(summaries.filter((each) => isWithinBounds(user, each)));
  await ctx.giveWay?.();
  const decisions = await write(ctx, user, resource, wanted);
  const streams = await storeSummaryStreams(ctx, user, streamsOf(decisions));
  await ctx.giveWay?.();
  await publishChanges(ctx, user, resource, { decisions, streams });
  const isChange = ({ outcome }: Decision): boolean => outcome === 'created' || outcome === 'updated';
  await askForRuns(ctx, user, decisions.some(isChange) ? [resource.name] : []);
  const byName = new Map(decisions.map((decision) => [nameOf(decision.summary), decision]));
  return summaries.map((summary) => {
    if (!isWithinBounds(user, summary)) return { id: null, outcome: 'outside_ingestion_bounds' };
    const { row, outcome, summary: chosen } = byName.get(nameOf(summary)) as Decision;
    return { id: row.id, outcome: chosen === summary ? outcome : 'superseded' };
  });
}

const isWorkout = ({ stream }: SummaryResource): boolean => stream === 'stream';

/**
 * Adds new summaries and replaces those that have changed. If only the raw payload or the version is new, stores it,
 * but counts this as unchanged. Most incoming summaries are stored already. So this compares them first, and encrypts,
 * writes and locks nothing for equal ones.
 */
async function write(ctx: Writer, user: UserRow, resource: SummaryResource, wanted: NewSummary[]): Promise<Decision[]> {
  const known = await findRows(ctx, user, resource, wanted);
  const knownOf = (each: NewSummary): StoredRow | undefined => known.get(nameOf(each));
  if (isWorkout(resource)) {
    for (const each of wanted) retainZones(ctx, each, knownOf(each));
    await addZones(ctx, user, wanted, knownOf);
  }
  const created = await insertRows(
    ctx,
    user,
    resource,
    wanted.filter((each) => !knownOf(each)),
  );
  const locked = await lockRows(
    ctx,
    user,
    resource,
    wanted.filter((each) => !created.has(nameOf(each)) && !bringsNothing(each, knownOf(each))),
  );
  const decisions = wanted.map((summary): Decision => {
    const name = nameOf(summary);
    const row = created.get(name);
    return row ? { summary, row, outcome: 'created' } : decide(summary, locked.get(name) ?? known.get(name));
  });
  const stale = decisions.filter(
    ({ summary, row, outcome }) => outcome === 'updated' || (outcome === 'unchanged' && isUnlikeStored(summary, row)),
  );
  const fresh = await replaceRows(ctx, stale);
  for (const [n, decision] of stale.entries()) decision.row = fresh[n] as StoredRow;
  return decisions;
}

function decide(summary: NewSummary, row: StoredRow | undefined): Decision {
  if (!row) throw new Error('a summary that could not be added does not exist');
  if (isOlder(summary.version, row.version)) return { summary, row, outcome: 'superseded' };
  return { summary, row, outcome: row.content_hash.equals(summary.content_hash) ? 'unchanged' : 'updated' };
}

/** Whether the raw payload or the version differs. Both are stored, but they are not in responses. */
const isUnlikeStored = ({ version, raw_hash }: NewSummary, row: StoredRow): boolean =>
  (version !== null && version !== row.version) || !row.raw_hash.equals(raw_hash);

/** Whether a row needs no change. This needs no lock, because versions only increase and equal content stays equal. */
function bringsNothing(summary: NewSummary, row: StoredRow | undefined): boolean {
  if (!row) return false;
  const { outcome } = decide(summary, row);
  if (outcome !== 'unchanged') return outcome === 'superseded';
  const { stream } = summary;
  return !isUnlikeStored(summary, row) && (stream === null || row.stream_hash?.equals(stream.hash) === true);
}

/** Returns the points of those summaries that are not superseded. */
const streamsOf = (decisions: Decision[]): IncomingSummaryStream[] =>
  decisions.flatMap(({ summary: { stream }, row, outcome }) =>
    stream && outcome !== 'superseded' ? [{ summary_id: row.id, known: row.stream_hash, ...stream }] : [],
  );

async function publishChanges(
  ctx: Writer,
  user: UserRow,
  resource: SummaryResource,
  { decisions, streams }: { decisions: Decision[]; streams: { created: string[]; updated: string[] } },
): Promise<void> {
  const { created, updated } = eventsOf(resource);
  const events: Publication[] = [];
  for (const { row, outcome } of decisions) {
    const addEvent = (type: EventType, data: unknown): unknown =>
      events.push({ type, user, data, ...(type.hasOrigin && { origin: ctx.origin }) });
    if (outcome === 'created') addEvent(created, renderSummary(ctx, resource, row));
    if (outcome === 'updated') addEvent(updated, renderSummary(ctx, resource, row));
    if (!isWorkout(resource)) continue;
    if (streams.created.includes(row.id)) addEvent(workoutStreamCreated, renderShallowStream(ctx, resource, row));
    if (streams.updated.includes(row.id)) addEvent(workoutStreamUpdated, renderShallowStream(ctx, resource, row));
  }
  await publishEvents(ctx, willBePublished(ctx) ? events : events.filter(({ type }) => !type.hasOrigin));
}

/** Throws not_found if a summary names an id that does not exist or that belongs to another user. */
async function refuseUnknownReferences(
  { db, team }: TxCtx<TeamCtx>,
  user: UserRow,
  { references = {}, isDevice }: SummaryResource,
  incoming: IncomingSummary[],
): Promise<void> {
  const named = Object.entries(isDevice ? {} : { device_id: 'device', ...references }).flatMap(([field, resource]) =>
    incoming.flatMap(({ item }) => (typeof item[field] === 'string' ? [{ resource, id: item[field] }] : [])),
  );
  if (named.length === 0) return;
  const rows = await db
    .selectFrom('summaries')
    .select(['id', 'resource'])
    .where('user_id', '=', user.id)
    .where('team_id', '=', team.id)
    .where('id', 'in', [...new Set(named.map(({ id }) => id))])
    .execute();
  const known = new Set(rows.map(({ id, resource }) => `${resource} ${id}`));
  for (const { resource, id } of named)
    if (!known.has(`${resource} ${id}`)) throw notFound(resource === 'device' ? 'Device' : 'Sleep');
}
