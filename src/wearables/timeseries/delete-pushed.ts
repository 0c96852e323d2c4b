import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { millisecondsOf, toUtc } from '../../wire/moment.ts';
import { asWriter, type Writer } from '../one-writer.ts';
import { deleteSamples, type Doomed } from './delete-samples.ts';
import type { SampleDeletionValue } from './deletion-input.ts';
import { samplesOfRecords } from './records.ts';
import type { DeletedSamples } from './schemas.ts';
import type { Stream } from './streams.ts';

/** Samples that one request deletes. */
const MOST = 20_000;

/** Deletes what an app or a device says is gone, all of it or nothing; what is not there is no mistake. Throws too_many_samples. */
export function deletePushedSamples(
  ctx: TeamCtx,
  userId: string,
  deletions: SampleDeletionValue[],
): Promise<Static<typeof DeletedSamples>> {
  return asWriter(ctx, { user_id: userId, origin: 'live' }, async (tx, user) => {
    const streams = await streamsOf(tx, user);
    const doomed = [...spansOf(streams, deletions), ...(await ofRecords(tx, user, streams, deletions))];
    const deleted = await deleteSamples(tx, user, doomed, { most: MOST + 1 });
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

/** What is named by its time, or lies in an interval. */
function spansOf(streams: Stream[], deletions: SampleDeletionValue[]): Doomed[] {
  return deletions.flatMap(({ resource, provider, source_type, type, timestamp, start, end }) => {
    const span = timestamp ? momentOf(timestamp) : start && end ? { from: toUtc(start), to: toUtc(end) } : null;
    if (span === null) return [];
    return streams
      .filter(
        (stream) =>
          stream.resource === resource &&
          stream.provider === provider &&
          (!source_type || stream.source_type === source_type) &&
          (!type || stream.kind === type),
      )
      .map((stream) => ({ stream, ...span }));
  });
}

async function ofRecords(
  ctx: Writer,
  user: { id: string },
  streams: Stream[],
  deletions: SampleDeletionValue[],
): Promise<Doomed[]> {
  const records = deletions.flatMap(({ provider, record_id }) => (record_id ? [{ provider, record: record_id }] : []));
  const found = await samplesOfRecords(ctx, user, records, MOST + 1);
  if (found.length > MOST) refuseTooMany();
  const byId = new Map(streams.map((stream) => [stream.id, stream]));
  return found.flatMap(({ stream_id, at }) => {
    const stream = byId.get(stream_id);
    return stream ? [{ stream, ...momentOf(at) }] : [];
  });
}

/** The millisecond of a moment. */
const momentOf = (moment: string): { from: string; to: string } => ({
  from: toUtc(moment),
  to: new Date(millisecondsOf(moment) + 1).toISOString(),
});

function refuseTooMany(): never {
  throw new AppError(
    'too_many_samples',
    `A request deletes at most ${MOST} samples. Delete shorter intervals, one after the other.`,
  );
}
