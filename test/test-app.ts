import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOnce } from 'graphile-worker';
import { request, type Dispatcher } from 'undici';
import { inject } from 'vitest';
import { serveApi } from '../src/api.ts';
import { listen, makeCtx, openApiPool, openDeliverer, openSeparatePools } from '../src/assemble.ts';
import { parseConfig, type Config } from '../src/config/options.ts';
import type { Ctx } from '../src/context.ts';
import { acrossTeams } from '../src/db/session/bind.ts';
import type { Db } from '../src/db/open-database.ts';
import { prepareDrain } from '../src/http/drain.ts';
import { openMetrics, type Metrics } from '../src/metrics.ts';
import { tasksOf, workerLogger } from '../src/jobs/run-jobs.ts';
import { withRepeatableEnds } from '../src/jobs/repeatable-ends.ts';
import { openLog } from '../src/log.ts';
import { LongPolls } from '../src/long-polls.ts';
import { VERSION } from '../src/package-root.ts';
import { claimCipher } from '../src/privacy/claim-cipher.ts';
import { createOrg } from '../src/tenancy/orgs/create.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { openTraces } from '../src/traces/open-traces.ts';
import { checkResponse } from './check-response.ts';
import { cloneDatabase, databaseUrl, dropDatabase } from './global-setup.ts';

export type Answer<T = Record<string, never>> = { status: number; body: T; headers: Headers };
export type Team = { id: string; org_id: string; api_key: string; management_key: string; api: Api };

type Options = { headers?: Record<string, string>; key?: string | null; raw?: string };
/** Calls the service as a team. Every success is checked against the schema of the operation. */
export type Api = <T = never>(method: string, path: string, body?: unknown, options?: Options) => Promise<Answer<T>>;

/** Options that production requires. */
const PRODUCTION_KEYS = {
  PHIAL_LOOKUP_KEY: Buffer.alloc(32, 7).toString('base64'),
  PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 8).toString('base64')}`,
};

/** An application at a provider without a server, because tests of providers start their own; and carriers. */
const OTHERS = {
  PHIAL_OURA_CLIENT_ID: 'client-of-nobody',
  PHIAL_OURA_CLIENT_SECRET: 'secret-of-nobody',
  PHIAL_OURA_BASE_URL: 'https://127.0.0.1:9',
  PHIAL_CARRIER_WEBHOOK_SECRETS: 'secret-of-carriers',
};

export type TestApp = {
  ctx: Ctx;
  db: Db;
  config: Config;
  metrics: Metrics;
  baseUrl: string;
  databaseUrl: string;
  /** The first team, in its own organisation on plan scale. */
  team: Team;
  api: Api;
  makeTeam: (name?: string) => Promise<Team>;
  /** Delivers every due webhook and returns when nothing is left. */
  deliver: () => Promise<void>;
  /** Runs every due background job, and the jobs that they make due. */
  runJobs: () => Promise<void>;
  /** Writes when keys were used last. */
  flushKeyUses: () => Promise<void>;
  /** Bytes of answers that clients have not read yet. */
  unreadBytes: () => number;
  /** Writes the waiting lines of the audit log. */
  flushAudit: () => Promise<void>;
  close: () => Promise<void>;
};

/** For running requests at the end of a file. A connection without a request would last for a minute otherwise. */
const DRAIN_MS = 5_000;

type Shared = { databaseUrl?: string; logTo?: (line: string) => void; poolSize?: number; poolWaitMs?: number };

/** The service on a real socket and its own database, or as one more service on `databaseUrl`. Logs go to `logTo`. */
export async function startTestApp(
  env: Record<string, string> = {},
  { databaseUrl: sharedUrl, logTo, poolSize = 10, poolWaitMs }: Shared = {},
): Promise<TestApp> {
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  const server = inject('serverUrl');
  if (!sharedUrl) await cloneDatabase(server, database, inject('template'));
  const url = sharedUrl ?? databaseUrl(server, database);
  const keys = env['PHIAL_ENVIRONMENT'] === 'production' ? PRODUCTION_KEYS : {};
  // Services of one database see one upload directory.
  const uploadDir = join(tmpdir(), `uploads-${new URL(url).pathname.slice(1)}`);
  const { config, secrets } = parseConfig({
    PORT: '0',
    PHIAL_LOG_LEVEL: 'silent',
    PHIAL_UPLOAD_DIR: uploadDir,
    ...keys,
    ...OTHERS,
    ...env,
  });
  const log = openLog(config.logLevel, logTo && { write: logTo });
  const limits = { ...config.databaseLimits, waitMs: poolWaitMs ?? config.databaseLimits.waitMs };
  const traces = await openTraces(config, { role: 'serve', version: VERSION, log });
  const on = { url, limits, traces, log };
  const database_ = openApiPool(on, poolSize);
  const { reserved, forAnonymousCallers } = openSeparatePools(on, database_);
  const cipher = await claimCipher(database_.db, config, secrets);
  const metrics = openMetrics();
  const polls = new LongPolls();
  const ctx: Ctx = {
    ...makeCtx(database_, { config, log, cipher, polls, metrics, traces }),
    reserved: reserved.db,
    forAnonymousCallers: forAnonymousCallers.db,
  };
  const app = serveApi(ctx, metrics);
  const drain = prepareDrain(app.server, log);
  const listener = listen(on, { app, polls });
  await listener.ready;
  const baseUrl = await app.server.listen({ port: 0, host: '127.0.0.1' });

  const makeTeam = async (name = 'Desert Health'): Promise<Team> => {
    const org = await createOrg(ctx, { name, plan: 'scale' });
    const team = await createTeam(ctx, { org_id: org.org_id, name });
    const key = await createTeamKey(ctx, { team_id: team.id, label: 'test' });
    return {
      id: team.id,
      org_id: org.org_id,
      api_key: key.value,
      management_key: org.management_key,
      api: apiOf(baseUrl, key.value, org.management_key),
    };
  };
  const team = await makeTeam();
  const { deliveries, deliverer } = openDeliverer(ctx, on, { poolSize: 3, beside: database_, metrics });
  return {
    ctx,
    db: acrossTeams(ctx).db,
    config,
    metrics,
    baseUrl,
    databaseUrl: url,
    team,
    api: team.api,
    makeTeam,
    deliver: () => deliverer.untilIdle(),
    flushKeyUses: () => app.uses.flush(),
    unreadBytes: () => app.unread.bytes,
    flushAudit: () => app.audit.flush(),
    runJobs: () =>
      runOnce({
        pgPool: withRepeatableEnds(database_.pool),
        taskList: tasksOf(ctx),
        logger: workerLogger(log),
        noHandleSignals: true,
      }),
    close: async () => {
      await deliverer.stop(0);
      await deliveries.close();
      await drain(DRAIN_MS);
      await listener.close();
      await reserved.close();
      await forAnonymousCallers.close();
      await database_.close();
      await traces?.close();
      if (sharedUrl) return;
      rmSync(uploadDir, { recursive: true, force: true });
      await dropDatabase(server, database);
    },
  };
}

/** Sends the team key to the service API and the management key to the management API, unless `key` says otherwise. */
export function apiOf(baseUrl: string, teamKey: string, managementKey: string): Api {
  return async <T>(method: string, path: string, body?: unknown, options: Options = {}) => {
    const management = path.startsWith('/v1/org');
    const key = options.key === undefined ? (management ? managementKey : teamKey) : options.key;
    const payload = options.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await request(baseUrl + path, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        ...(key === null ? {} : { [management ? 'x-management-key' : 'x-service-api-key']: key }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: payload ?? null,
    });
    const text = await response.body.text();
    const headers = new Headers(
      Object.entries(response.headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each])),
    );
    const type = headers.get('content-type') ?? '';
    const isJson = /[/+]json/.test(type);
    const answer = {
      status: response.statusCode,
      headers,
      // A stream of lines may be empty.
      body: (text === '' && !/ndjson/.test(type) ? undefined : isJson ? JSON.parse(text) : text) as T,
    };
    checkResponse(method, path, answer);
    return answer;
  };
}
