import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { StoredSource } from '../source.ts';

/** One series of a user from one source. What a workout or sleep has of points is a summary stream. */
export type Stream = {
  id: number;
  resource: string;
  provider: string;
  source_type: string;
  kind: string;
  app_id: string | null;
  device_id: string | null;
};

/** Of a stream whose samples change: above what was told of any stream in its place, also before it was made or restored. */
export const NEXT_VERSION = sql.raw('greatest(version + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)');

export type StreamKey = StoredSource & { resource: string; kind: string };

/** `connected`: its user to its provider, which costs a push no look-up of its own. */
export type EnsuredStream = Stream & { connected: boolean };

/** More than anybody's devices make; each allergen of a panel is a stream of its own. */
const MOST_STREAMS = 500;

/** What tells one stream of a user from another, as a text. */
export const streamKeyOf = ({ resource, provider, source_type, kind }: StreamKey | Stream): string =>
  `${resource} ${provider} ${source_type} ${kind}`;

/**
 * The user's streams of these keys, made where they are not there; app and device are kept as they were told last.
 * Throws limit_reached where the user would have more than 500.
 */
export async function ensureStreams(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  keys: StreamKey[],
): Promise<Map<string, EnsuredStream>> {
  // Always in one order, so that two batches of one user do not wait for each other in a circle.
  const wanted = keys.toSorted((a, b) => (streamKeyOf(a) < streamKeyOf(b) ? -1 : 1));
  for (;;) {
    const { rows } = await sql<EnsuredStream & { made: boolean }>`
      with wanted as (
        select * from unnest(
          ${wanted.map((key) => key.resource)}::text[], ${wanted.map((key) => key.provider)}::text[],
          ${wanted.map((key) => key.source_type)}::text[], ${wanted.map((key) => key.kind)}::text[],
          ${wanted.map((key) => key.app_id ?? null)}::text[], ${wanted.map((key) => key.device_id ?? null)}::uuid[]
        ) as w (resource, provider, source_type, kind, app_id, device_id)
      ), written as (
        insert into streams as s (user_id, team_id, resource, provider, source_type, kind, app_id, device_id)
        select ${user.id}::uuid, ${ctx.team.id}::uuid, resource, provider, source_type, kind, app_id, device_id from wanted
        on conflict (user_id, resource, provider, source_type, kind) do update
          set app_id = coalesce(excluded.app_id, s.app_id), device_id = coalesce(excluded.device_id, s.device_id)
          where excluded.app_id <> coalesce(s.app_id, '') or excluded.device_id is distinct from s.device_id
                and excluded.device_id is not null
        returning id, resource, provider, source_type, kind, app_id, device_id
      )
      select found.*, exists (
               select from connections c where c.user_id = ${user.id} and c.provider = found.provider and c.status = 'connected') as connected
        from (
      select *, true as made from written
      union all
      select s.id, s.resource, s.provider, s.source_type, s.kind, s.app_id, s.device_id, false
        from wanted join streams s
          on s.user_id = ${user.id} and s.team_id = ${ctx.team.id} and s.resource = wanted.resource
         and s.provider = wanted.provider and s.source_type = wanted.source_type and s.kind = wanted.kind
        ) as found order by made desc`.execute(ctx.db);
    const streams = new Map<string, EnsuredStream>();
    // What was written stands first and is newer than what the other half read.
    for (const { made: _, ...row } of rows) {
      const key = streamKeyOf(row);
      if (!streams.has(key)) streams.set(key, row);
    }
    // One that another transaction made meanwhile is seen by the next statement only.
    if (streams.size < wanted.length) continue;
    if (rows.some(({ made }) => made)) await refuseTooMany(ctx, user);
    return streams;
  }
}

async function refuseTooMany({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  const { rows } = await sql`
    select from streams where user_id = ${user.id} and team_id = ${team.id} limit ${MOST_STREAMS + 1}`.execute(db);
  if (rows.length > MOST_STREAMS) {
    throw new AppError(
      'limit_reached',
      `A user can have at most ${MOST_STREAMS} streams: a series, provider, kind of device and type each.`,
    );
  }
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
