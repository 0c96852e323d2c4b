import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { millisecondsOf, toUtc } from '../../../wire/moment.ts';
import { asWriter, type Writer } from '../../user-writer.ts';
import { refusePulled } from '../../refuse-pulled.ts';
import { deleteSamples } from './delete-samples.ts';
import type { SampleDeletionValue } from './sample-deletion.ts';
import { samplesOfRecords } from '../store-records.ts';
import type { DeletedSamples } from '../schemas.ts';
import type { Stream } from '../streams.ts';
import type { SpanToDelete } from './delete-spans.ts';

/** The most samples that one request deletes. */
const MOST = 20_000;
/** The most pairs of a deletion and a stream to which it applies. The database searches one span for each pair. */
const MAX_PAIRS = 20_000;
const PAIRS_AT_ONCE = 1_000;

/**
 * Deletes the samples that an app or a device reports as deleted: all of them, or none. Ignores samples that do not
 * exist. Throws too_many_samples, provider_not_deletable, and too_many_matches if the deletions apply to too many
 * streams.
 */
export function deletePushedSamples(
  ctx: TeamCtx,
  userId: string,
  deletions: SampleDeletionValue[],
): Promise<Static<typeof DeletedSamples>> {
  refusePulled(ctx, 'delete', deletions);
  return asWriter(ctx, { user_id: userId, origin: 'live' }, async (tx, user) => {
    const streams = await streamsOf(tx, user);
    const spans = await spansOf(tx, streams, deletions);
    const doomed = [...spans, ...(await ofRecords(tx, user, streams, deletions))];
    const deleted = await deleteSamples(tx, user, doomed, { most: MOST, orNothing: true });
    if (deleted > MOST) refuseTooMany();
    return { deleted };
  });
}

async function streamsOf({ db, team }: Writer, user: { id: string }): Promise<Stream[]> {
  const { rows } = await sql<Stream>`
    select id, resource, provider, source_type, kind, app_id, device_id from streams
     where user_id = ${user.id} and team_id = ${team.id} order by id`.execute(db);
  return rows;
}

/**
 * Returns the spans of those deletions that name a time or an interval. Throws too_many_matches if there are too many.
 */
async function spansOf(
  { giveWay }: Pick<Writer, 'giveWay'>,
  streams: Stream[],
  deletions: SampleDeletionValue[],
): Promise<SpanToDelete[]> {
  const spans: SpanToDelete[] = [];
  let paused = 0;
  for (const { resource, provider, source_type, app_id, device_id, type, timestamp, start, end } of deletions) {
    const span = timestamp ? momentOf(timestamp) : start && end ? { from: toUtc(start), to: toUtc(end) } : null;
    if (span === null) continue;
    const reached = streams.filter(
      (stream) =>
        stream.resource === resource &&
        stream.provider === provider &&
        (!source_type || stream.source_type === source_type) &&
        (!app_id || stream.app_id === app_id) &&
        (!device_id || stream.device_id === device_id.toLowerCase()) &&
        (!type || stream.kind === type),
    );
    if (spans.length + reached.length > MAX_PAIRS) refuseTooManyPairs();
    for (const stream of reached) spans.push({ stream, ...span });
    if (spans.length - paused < PAIRS_AT_ONCE) continue;
    paused = spans.length;
    await giveWay?.();
  }
  return spans;
}

async function ofRecords(
  ctx: Writer,
  user: { id: string },
  streams: Stream[],
  deletions: SampleDeletionValue[],
): Promise<SpanToDelete[]> {
  const records = deletions.flatMap(({ provider, record_id }) => (record_id ? [{ provider, record: record_id }] : []));
  const found = await samplesOfRecords(ctx, user, records, MOST + 1);
  if (found.length > MOST) refuseTooMany();
  const byId = new Map(streams.map((stream) => [stream.id, stream]));
  return found.flatMap(({ stream_id, at }) => {
    const stream = byId.get(stream_id);
    return stream ? [{ stream, ...momentOf(at) }] : [];
  });
}

/** Returns the span of the one millisecond at this moment. */
const momentOf = (moment: string): { from: string; to: string } => ({
  from: toUtc(moment),
  to: new Date(millisecondsOf(moment) + 1).toISOString(),
});

function refuseTooMany(): never {
  throw new AppError(
    'too_many_samples',
    `A request can delete at most ${MOST} samples. Delete shorter intervals, one after the other.`,
  );
}

function refuseTooManyPairs(): never {
  throw new AppError(
    'too_many_matches',
    `The deletions of a request can match at most ${MAX_PAIRS} streams of apps, devices and types. A stream counts ` +
      'once for each deletion that matches it. Name source_type, app_id and type, or one interval instead of many ' +
      'times, or send fewer deletions at once.',
  );
}
