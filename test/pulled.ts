import { sql } from 'kysely';
import { expect } from 'vitest';
import { IMPORTERS } from '../src/wearables/providers/registry.ts';
import { replay } from '../src/wearables/pulls/replay/replay-payloads.ts';
import type { Counts } from '../src/wearables/pulls/replay/replay-some.ts';
import type { Answer, Team, TestApp } from './test-app.ts';
import { importConnection, linkTokenOf, makeUser } from './factories.ts';
import type { DataResponse, DataRequest, Provider } from './provider.ts';

type Sample = Record<string, unknown> & { timestamp: string; value: number };
type Groups = Record<string, { source: { provider: string; type: string }; data: Sample[] }[]>;
const DAY_MS = 86_400_000;

/** A user whose connection imported the data of a provider's stand-in, as the interface returns it. */
export type Pulled = {
  team: Team;
  user_id: string;
  /** The list of a kind by its path. */
  summaries: (path: string) => Promise<Record<string, unknown>[]>;
  /** Samples of a series, with their kind of device. */
  samples: (name: string) => Promise<(Sample & { source_type: string })[]>;
  /** The outcome of its pulls, by resource. */
  pulls: () => Promise<Record<string, string>>;
};

type Connecting = {
  scopes?: string[] | null;
  zone?: string | null;
  /** Whether the user connects on the provider's page. By default tokens are imported. */
  authorises?: boolean;
};

/** Connects a new user of a new team, and runs the pulls of the past. */
export async function pulledFrom(
  app: TestApp,
  provider: Provider,
  slug: string,
  play: (request: DataRequest) => DataResponse | undefined,
  { scopes = null, zone = null, authorises = false }: Connecting = {},
): Promise<Pulled> {
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  if (zone !== null) await team.api('PATCH', `/v2/user/${user_id}`, { fallback_time_zone: zone });
  provider.play(play);
  if (authorises) await authorise(app, team, user_id, slug);
  else await importConnection(team, user_id, { oauth_scopes: scopes }, slug);
  await app.runJobs();
  await expectMadeAgain(app, team, slug);
  const from = new Date(Date.now() - 60 * DAY_MS).toISOString().slice(0, 10);
  return {
    team,
    user_id,
    summaries: async (path) => {
      const { body } = await team.api<Record<string, Record<string, unknown>[]>>(
        'GET',
        `/v2/summary/${path}/${user_id}${path === 'profile' ? '' : `?start_date=${from}`}`,
      );
      return path === 'profile' ? [body as Record<string, unknown>] : (body[path] ?? []);
    },
    samples: async (name) => {
      const { body } = await team.api<{ groups: Groups }>(
        'GET',
        `/v2/timeseries/${user_id}/${name}/grouped?start_date=${from}`,
      );
      return Object.values(body.groups).flatMap((groups) =>
        groups.flatMap(({ source, data }) => data.map((sample) => ({ ...sample, source_type: source.type }))),
      );
    },
    pulls: async () => {
      const { rows } = await sql<{ resource: string; status: string }>`
        select resource, status from pulls where user_id = ${user_id}`.execute(app.db);
      return Object.fromEntries(rows.map(({ resource, status }) => [resource, status]));
    },
  };
}

/** Checks that the stored payload of a summary is the one that the summary was made from. */
export async function expectMadeAgain(app: TestApp, team: Team, slug: string): Promise<void> {
  const stored = async (): Promise<{ resource: string }[]> => {
    const { rows } = await sql<{ resource: string }>`
      select summaries.id, resource, rev, key, source_type, content_hash, raw_hash, stream_hash
        from summaries join users on users.id = user_id
       where summaries.team_id = ${team.id} and deleted_at is null order by summaries.id`.execute(app.db);
    return rows;
  };
  const before = await stored();
  // Stages are made from their sleep, and have no payload of their own.
  const mapped = before.filter(({ resource }) => resource !== 'sleep_cycle').length;
  expect(await replayed(app, team, slug)).toEqual({ ...NOTHING, unchanged: mapped });
  expect(await stored()).toEqual(before);
}

const NOTHING = { updated: 0, unchanged: 0, skipped: 0, not_pulled: 0 };

/** Replays the stored data of a team from a provider. */
export function replayed(
  app: TestApp,
  team: Team,
  slug: string,
  { report = () => undefined, ...changes }: Partial<Parameters<typeof replay>[1] & Parameters<typeof replay>[2]> = {},
): Promise<Counts> {
  const mappers = Object.values(IMPORTERS[slug]?.mappers ?? {});
  const asked = { provider: slug, mappers, team_id: team.id, since: null, ...changes };
  return replay(app.ctx, asked, { begin: async () => undefined, report });
}

/** Takes a user to a provider's page, as a browser does, and back. */
async function authorise(app: TestApp, team: Team, userId: string, slug: string): Promise<void> {
  const { link_token } = await linkTokenOf(team, userId);
  const get = (url: string, cookie = '') => fetch(url, { headers: { cookie }, redirect: 'manual' });
  const left = await get(`${app.baseUrl}/v2/link/oauth/${slug}/start?token=${link_token}`);
  const agreed = await get(left.headers.get('location') ?? '');
  const { pathname, search } = new URL(agreed.headers.get('location') ?? '');
  const end = await get(`${app.baseUrl}${pathname}${search}`, left.headers.get('set-cookie')?.split(';')[0]);
  expect(end.headers.get('location')).toMatch(/state=success$/);
}

/** Days before today, as YYYY-MM-DD. */
export const dayAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

export type Refreshed = { refreshed_sources: string[]; in_progress_sources: string[]; failed_sources: string[] };

/** Refreshes a user, and runs the polls that the request waits for. */
export async function refresh(app: TestApp, team: Team, userId: string): Promise<Answer<Refreshed>> {
  const response = team.api<Refreshed>('POST', `/v2/user/refresh/${userId}`);
  let isAnswered = false;
  void response.finally(() => (isAnswered = true));
  await expect.poll(async () => isAnswered || (await pollsAskedFor(app)) > 0, { interval: 5 }).toBe(true);
  await app.runJobs();
  return response;
}

/** Waiting poll jobs. */
export async function pollsAskedFor(app: TestApp): Promise<number> {
  const { rows } = await sql`
    select from graphile_worker.jobs where task_identifier = 'poll_connection' and run_at <= now()`.execute(app.db);
  return rows.length;
}
