import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { isPushed } from '../providers/catalogue.ts';
import type { StoredSource } from '../source.ts';
import { freeStreams } from './free-streams.ts';

/** One series of a user from one app on one device. What a workout or sleep has of points is a summary stream. */
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
 * Of a stream whose samples change: above what was told of any stream of its place, since a sample may go from one of them to
 * another; also before it was made or restored.
 */
export const NEXT_VERSION = sql.raw(`
  greatest((extract(epoch from clock_timestamp()) * 1000)::bigint, 1 + (
    select max(beside.version) from streams beside
     where beside.user_id = streams.user_id and beside.resource = streams.resource and beside.provider = streams.provider
       and beside.source_type = streams.source_type and beside.kind = streams.kind))`);

export type StreamKey = StoredSource & { resource: string; kind: string };

/**
 * `connected`: its user to its provider, which costs a push no look-up of its own. `beside` are the ids of the other streams of its
 * place: those of a time that it tells of as well are the same sample.
 */
export type EnsuredStream = Stream & { connected: boolean; beside: number[] };

/**
 * By which events tell of a place: the number of its first stream. With a time it is what a sample is known by, and stays so when
 * another app tells of that time.
 */
export const sourceIdOf = ({ id, beside }: Pick<EnsuredStream, 'id' | 'beside'>): number => Math.min(id, ...beside);

/**
 * Of what is pushed, and of what is pulled: more than anybody's apps and devices make; each allergen of a panel is a stream of its own.
 * Apart, so that nothing that a user's own token pushes keeps a provider's data out.
 */
const MOST_STREAMS = 1_000;
/** Apps and devices of one place that have samples: a sample is looked for in the streams of all of them. */
const MOST_BESIDE = 50;

/** Within which a time has one sample, as the interface says: streams of one place differ in app and device alone. */
export const placeKeyOf = ({ resource, provider, source_type, kind }: StreamKey | Stream): string =>
  JSON.stringify([resource, provider, source_type, kind]);

/** What tells one stream of a user from another, as a text. */
export const streamKeyOf = (key: StreamKey | Stream): string =>
  JSON.stringify([placeKeyOf(key), key.app_id ?? null, key.device_id?.toLowerCase() ?? null]);

/**
 * The user's streams of these keys, made where they are not there. Where there are too many, those without samples go first. Throws
 * limit_reached where the user would have more than 1,000 pushed or pulled ones, or more than 50 of one place. As the user's only writer.
 */
export async function ensureStreams(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  keys: StreamKey[],
): Promise<Map<string, EnsuredStream>> {
  refuseTooManyBeside(keys);
  const tooMany = tooManyOf(keys);
  if (tooMany) throw tooMany;
  // Always in one order, so that two batches of one user do not wait for each other in a circle.
  const wanted = keys.toSorted((a, b) => (streamKeyOf(a) < streamKeyOf(b) ? -1 : 1));
  let areMade = false;
  const freed = { ofPlaces: false, all: false };
  // The first ones of places, which stay: without samples they are not counted.
  const vacant = new Set<number>();
  for (;;) {
    const { rows } = await sql<Found>`
      with wanted as (
        select * from unnest(
          ${wanted.map((key) => key.resource)}::text[], ${wanted.map((key) => key.provider)}::text[],
          ${wanted.map((key) => key.source_type)}::text[], ${wanted.map((key) => key.kind)}::text[],
          ${wanted.map((key) => key.app_id ?? null)}::text[], ${wanted.map((key) => key.device_id ?? null)}::uuid[]
        ) as w (resource, provider, source_type, kind, app_id, device_id)
      ), made as (
        insert into streams (user_id, team_id, resource, provider, source_type, kind, app_id, device_id)
        select ${user.id}::uuid, ${ctx.team.id}::uuid, resource, provider, source_type, kind, app_id, device_id from wanted
        on conflict (user_id, resource, provider, source_type, kind, app_id, device_id) do nothing
        returning id, resource, provider, source_type, kind, app_id, device_id
      )
      select found.*, exists (
               select from connections c where c.user_id = ${user.id} and c.provider = found.provider and c.status = 'connected') as connected
        from (
          select *, true as made from made
          union all
          select s.id, s.resource, s.provider, s.source_type, s.kind, s.app_id, s.device_id, false
            from (select distinct resource, provider, source_type, kind from wanted) as place join streams s
              on s.user_id = ${user.id} and s.team_id = ${ctx.team.id} and s.resource = place.resource
             and s.provider = place.provider and s.source_type = place.source_type and s.kind = place.kind
        ) as found`.execute(ctx.db);
    const streams = new Map(rows.map((row) => [streamKeyOf(row), row]));
    // One that another transaction made meanwhile is seen by the next statement only.
    if (!wanted.every((key) => streams.has(streamKeyOf(key)))) continue;
    areMade ||= rows.some(({ made }) => made);
    const besides = tooManyBeside(rows.filter(({ id }) => !vacant.has(id)));
    const refusal = besides ?? (areMade ? tooManyOf(await providersOfStreams(ctx, user, vacant)) : null);
    if (refusal) {
      if (freed.all || (besides && freed.ofPlaces)) throw refusal;
      freed[besides ? 'ofPlaces' : 'all'] = true;
      const ids = wanted.map((key) => (streams.get(streamKeyOf(key)) as Found).id);
      for (const id of await freeStreams(ctx, user, { among: besides && rows.map(({ id }) => id), wanted: ids }))
        vacant.add(id);
      continue;
    }
    return withBeside(wanted, streams);
  }
}

type Found = Stream & { connected: boolean; made: boolean };

/** The streams that are wanted, each with those of its place. */
function withBeside(wanted: StreamKey[], found: Map<string, Found>): Map<string, EnsuredStream> {
  const places = new Map<string, number[]>();
  for (const stream of found.values()) {
    const ids = places.get(placeKeyOf(stream));
    if (ids) ids.push(stream.id);
    else places.set(placeKeyOf(stream), [stream.id]);
  }
  return new Map(
    wanted.map((key) => {
      const { made: _, ...stream } = found.get(streamKeyOf(key)) as Found;
      const beside = (places.get(placeKeyOf(key)) as number[]).filter((id) => id !== stream.id);
      return [streamKeyOf(key), { ...stream, beside }];
    }),
  );
}

/** Throws limit_reached where one place has more streams than it may have. */
export function refuseTooManyBeside(streams: readonly (StreamKey | Stream)[]): void {
  const refusal = tooManyBeside(streams);
  if (refusal) throw refusal;
}

function tooManyBeside(streams: readonly (StreamKey | Stream)[]): AppError | null {
  if (streams.length <= MOST_BESIDE) return null;
  const counts = new Map<string, number>();
  for (const stream of streams) {
    const place = placeKeyOf(stream);
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    if (count <= MOST_BESIDE) continue;
    return new AppError(
      'limit_reached',
      `A user can have at most ${MOST_BESIDE} apps and devices of a series, provider and kind of device. ` +
        'app_id names an app, and not a version of it, a run or a sample.',
      { fields: { limit: MOST_BESIDE } },
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

/** What is left out of `many` is one. */
function tooManyOf(streams: readonly { provider: string; many?: number }[]): AppError | null {
  let [pushed, pulled] = [0, 0];
  for (const { provider, many = 1 } of streams) {
    if (isPushed(provider)) pushed += many;
    else pulled += many;
  }
  if (pushed <= MOST_STREAMS && pulled <= MOST_STREAMS) return null;
  return new AppError(
    'limit_reached',
    `A user can have at most ${MOST_STREAMS} streams of providers that are ${pushed > MOST_STREAMS ? 'pushed' : 'pulled'}: a series, ` +
      'provider, kind of device, app, device and type each. Those without samples are not counted.',
    { fields: { limit: MOST_STREAMS } },
  );
}

/** The user's streams of one series, of one provider or of all; in the order in which pages go through them. */
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
