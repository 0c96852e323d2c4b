import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { isPushed } from '../providers/provider-catalogue.ts';
import type { StoredSource } from '../source.ts';
import { freeStreams } from './free-streams.ts';

/**
 * A stream: the samples of one series of a user from one app on one device. The points of a workout or sleep are in a
 * summary stream and not here.
 */
export type Stream = {
  id: number;
  resource: string;
  provider: string;
  source_type: string;
  kind: string;
  app_id: string | null;
  device_id: string | null;
};

/**
 * SQL for the next version of a stream whose samples change. A sample may move between the streams of a `source_id`, so
 * the version is larger than all versions of these streams in events. It contains the time of the clock. So it is also
 * larger than the versions of a stream that was deleted and made again, and those of a database before it was restored
 * from a backup.
 */
export const NEXT_VERSION = sql.raw(`
  greatest((extract(epoch from clock_timestamp()) * 1000)::bigint, 1 + (
    select max(beside.version) from streams beside
     where beside.user_id = streams.user_id and beside.resource = streams.resource
       and beside.provider = streams.provider and beside.source_type = streams.source_type
       and beside.kind = streams.kind))`);

export type StreamKey = StoredSource & { resource: string; kind: string };

/**
 * A stream that exists. `connected` is whether the user is connected to the provider, so that a push need not read the
 * connection too. `beside` are the ids of the other streams of the same `source_id`. Samples of the same time in these
 * streams are one sample.
 */
export type EnsuredStream = Stream & { connected: boolean; beside: number[] };

/**
 * Returns the `source_id` that events have: the number of the first stream of a series, provider, source type and type.
 * It identifies a sample together with a time, even after another app has sent that time.
 */
export const sourceIdOf = ({ id, beside }: Pick<EnsuredStream, 'id' | 'beside'>): number => Math.min(id, ...beside);

/**
 * The most pushed streams of a user, and the most pulled ones. The apps and devices of a person make fewer, although
 * each allergen of an allergy test is a stream of its own. Pushed and pulled streams count separately. Otherwise
 * somebody with a user's own token could push so many streams that nothing more of a provider can be stored.
 */
const MAX_STREAMS = 1_000;
/**
 * The most streams with samples of one `source_id`, one stream for each app and device. To find a sample, Phial
 * searches all of these streams.
 */
const MAX_BESIDE = 50;

/**
 * Returns a key that all streams of one `source_id` share. These streams differ only in app and device. Together they
 * have one sample for each time.
 */
export const sourceKeyOf = ({ resource, provider, source_type, kind }: StreamKey | Stream): string =>
  JSON.stringify([resource, provider, source_type, kind]);

/** Returns a key that identifies a stream among those of its user. */
export const streamKeyOf = (key: StreamKey | Stream): string =>
  JSON.stringify([sourceKeyOf(key), key.app_id ?? null, key.device_id?.toLowerCase() ?? null]);

/**
 * Finds the user's streams for these keys, and makes the missing ones. If there are too many, first deletes streams
 * without samples. Throws limit_reached if the user would still have more than 1,000 pushed streams, more than 1,000
 * pulled streams, or more than 50 streams of one `source_id`. The caller must be the user's only writer.
 */
export async function ensureStreams(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  keys: StreamKey[],
): Promise<Map<string, EnsuredStream>> {
  refuseTooManyBeside(keys);
  const tooMany = tooManyOf(keys);
  if (tooMany) throw tooMany;
  // All batches of a user lock streams in this order. Otherwise two batches could deadlock.
  const wanted = keys.toSorted((a, b) => (streamKeyOf(a) < streamKeyOf(b) ? -1 : 1));
  let areMade = false;
  const freed = { ofSources: false, all: false };
  // The empty streams that stay because they are the first of their `source_id`. They do not count against the limits.
  const vacant = new Set<number>();
  for (;;) {
    const { rows } = await sql<FoundStream>`
      with wanted as (
        select * from unnest(
          ${wanted.map((key) => key.resource)}::text[], ${wanted.map((key) => key.provider)}::text[],
          ${wanted.map((key) => key.source_type)}::text[], ${wanted.map((key) => key.kind)}::text[],
          ${wanted.map((key) => key.app_id ?? null)}::text[], ${wanted.map((key) => key.device_id ?? null)}::uuid[]
        ) as w (resource, provider, source_type, kind, app_id, device_id)
      ), made as (
        insert into streams (user_id, team_id, resource, provider, source_type, kind, app_id, device_id)
        select ${user.id}::uuid, ${ctx.team.id}::uuid, resource, provider, source_type, kind, app_id, device_id
          from wanted
        on conflict (user_id, resource, provider, source_type, kind, app_id, device_id) do nothing
        returning id, resource, provider, source_type, kind, app_id, device_id
      )
      select found.*, exists (
               select from connections c
                where c.user_id = ${user.id} and c.provider = found.provider and c.status = 'connected') as connected
        from (
          select *, true as made from made
          union all
          select s.id, s.resource, s.provider, s.source_type, s.kind, s.app_id, s.device_id, false
            from (select distinct resource, provider, source_type, kind from wanted) as source join streams s
              on s.user_id = ${user.id} and s.team_id = ${ctx.team.id} and s.resource = source.resource
             and s.provider = source.provider and s.source_type = source.source_type and s.kind = source.kind
        ) as found`.execute(ctx.db);
    const streams = new Map(rows.map((row) => [streamKeyOf(row), row]));
    // If another transaction has made a stream meanwhile, this statement does not see that stream, but the next one
    // does.
    if (!wanted.every((key) => streams.has(streamKeyOf(key)))) continue;
    areMade ||= rows.some(({ made }) => made);
    const besides = tooManyBeside(rows.filter(({ id }) => !vacant.has(id)));
    const refusal = besides ?? (areMade ? tooManyOf(await providersOfStreams(ctx, user, vacant)) : null);
    if (refusal) {
      if (freed.all || (besides && freed.ofSources)) throw refusal;
      freed[besides ? 'ofSources' : 'all'] = true;
      const ids = wanted.map((key) => (streams.get(streamKeyOf(key)) as FoundStream).id);
      for (const id of await freeStreams(ctx, user, { among: besides && rows.map(({ id }) => id), wanted: ids }))
        vacant.add(id);
      continue;
    }
    return withBeside(wanted, streams);
  }
}

type FoundStream = Stream & { connected: boolean; made: boolean };

/** Returns the wanted streams, each with the other streams of its `source_id`. */
function withBeside(wanted: StreamKey[], found: Map<string, FoundStream>): Map<string, EnsuredStream> {
  const idsBySource = new Map<string, number[]>();
  for (const stream of found.values()) {
    const ids = idsBySource.get(sourceKeyOf(stream));
    if (ids) ids.push(stream.id);
    else idsBySource.set(sourceKeyOf(stream), [stream.id]);
  }
  return new Map(
    wanted.map((key) => {
      const { made: _, ...stream } = found.get(streamKeyOf(key)) as FoundStream;
      const beside = (idsBySource.get(sourceKeyOf(key)) as number[]).filter((id) => id !== stream.id);
      return [streamKeyOf(key), { ...stream, beside }];
    }),
  );
}

/** Throws limit_reached if one `source_id` has too many streams. */
export function refuseTooManyBeside(streams: readonly (StreamKey | Stream)[]): void {
  const refusal = tooManyBeside(streams);
  if (refusal) throw refusal;
}

function tooManyBeside(streams: readonly (StreamKey | Stream)[]): AppError | null {
  if (streams.length <= MAX_BESIDE) return null;
  const counts = new Map<string, number>();
  for (const stream of streams) {
    const sourceKey = sourceKeyOf(stream);
    const count = (counts.get(sourceKey) ?? 0) + 1;
    counts.set(sourceKey, count);
    if (count <= MAX_BESIDE) continue;
    return new AppError(
      'limit_reached',
      `A user can have at most ${MAX_BESIDE} apps and devices of one series, provider and kind of device. ` +
        'app_id should name an app, not a version of it, a run or a sample.',
      { fields: { limit: MAX_BESIDE } },
    );
  }
  return null;
}

async function providersOfStreams(
  { db, team }: TxCtx<TeamCtx>,
  user: { id: string },
  without: ReadonlySet<number>,
): Promise<{ provider: string; many: number }[]> {
  const { rows } = await sql<{ provider: string; many: number }>`
    select provider, count(*)::integer as many from streams
     where user_id = ${user.id} and team_id = ${team.id} and id <> all (${[...without]}::bigint[]) group by 1`.execute(
    db,
  );
  return rows;
}

/**
 * Returns limit_reached if there are too many pushed or pulled streams, else null. An entry without `many` counts as
 * one stream.
 */
function tooManyOf(streams: readonly { provider: string; many?: number }[]): AppError | null {
  let [pushed, pulled] = [0, 0];
  for (const { provider, many = 1 } of streams) {
    if (isPushed(provider)) pushed += many;
    else pulled += many;
  }
  if (pushed <= MAX_STREAMS && pulled <= MAX_STREAMS) return null;
  return new AppError(
    'limit_reached',
    `A user can have at most ${MAX_STREAMS} streams whose data is ${pushed > MAX_STREAMS ? 'pushed' : 'pulled'}. ` +
      'Each series, provider, kind of device, app, device and type is one stream. Streams without samples are not ' +
      'counted.',
    { fields: { limit: MAX_STREAMS } },
  );
}

/** Returns the user's streams of one series, of one provider or of all, in the order of pages. */
export async function findStreams(
  ctx: TeamCtx,
  userId: string,
  { resource, provider }: { resource: string; provider: string | undefined },
): Promise<Stream[]> {
  const { rows } = await sql<Stream>`
    select s.id, s.resource, s.provider, s.source_type, s.kind, s.app_id, s.device_id
      from streams s join users u on u.id = s.user_id
     where s.user_id = ${userId} and s.team_id = ${ctx.team.id} and s.resource = ${resource}
       and u.team_id = ${ctx.team.id} and u.deleted_at is null
       and (${provider ?? null}::text is null or s.provider = ${provider ?? null})
     order by s.id`.execute(ctx.db);
  return rows;
}
