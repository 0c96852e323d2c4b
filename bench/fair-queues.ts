// Queues of background work: imports of many organisations, and pulls of the past beside continuous queries.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../src/context.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { createOrg } from '../src/tenancy/orgs/create.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { writeAppleExport } from './apple-export.ts';
import { openTeam, type Loud, type Work } from './flood.ts';
import { makeFolder, removeFolder } from './measured-program.ts';
import { callerOf, type Call } from './order-traffic.ts';

const ORGANISATIONS = 6;
const RECORDS = { loud: 20_000, quiet: 1 };
/** The pause between two checks of progress, within the rate limit of a key. */
const LOOK_MS = 100;
/**
 * The pause of each of three organisations after a push. Together they push 17 times a second. Each push has one sample
 * and requests a run of a continuous query.
 */
const PUSHES_EACH_MS = 3_000 / 17;
const PUSHERS = 3;
const MANY = { full: 10, quick: 3 };

/** The work of six organisations that always have a waiting import, and of a quiet one that imports one record. */
export async function imports(ctx: Ctx, baseUrl: string): Promise<Loud> {
  const [large, small] = [await exportOf(RECORDS.loud), await exportOf(RECORDS.quiet)];
  const importer = async (name: string, file: Buffer): Promise<Work> => {
    const { org_id } = await createOrg(ctx, { name, plan: 'scale' });
    const team = await createTeam(ctx, { org_id, name });
    const headers = { 'x-service-api-key': (await createTeamKey(ctx, { team_id: team.id, label: 'bench' })).value };
    const call = callerOf(baseUrl, headers);
    let users = 0;
    return async () => {
      const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: `${(users += 1)}` });
      const path = `/v2/user/${user_id}/import`;
      const response = await fetch(baseUrl + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/zip' },
        body: new Uint8Array(file),
      });
      const { id } = (await response.json()) as { id: string };
      await until(async () => {
        const { status } = await call<{ status: string }>('GET', `${path}/${id}`);
        if (status === 'failure') throw new Error('An import failed.');
        return status === 'success';
      });
    };
  };
  const work: Work[] = [];
  for (let n = 0; n < ORGANISATIONS; n += 1) work.push(await importer(`Loud ${n}`, large));
  return {
    title: `imports: ${ORGANISATIONS} organisations that always have one of ${RECORDS.loud} records waiting`,
    owners: ORGANISATIONS,
    work,
    ask: await importer('Quiet', small),
    requests: MANY,
  };
}

async function exportOf(records: number): Promise<Buffer> {
  const folder = makeFolder();
  try {
    const path = join(folder, 'export.zip');
    await writeAppleExport(path, { records, bytes: Infinity });
    return await readFile(path);
  } finally {
    removeFolder(folder);
  }
}

/**
 * The work of three organisations whose samples request runs of a continuous query all the time, and of a quiet one
 * that connects users. Each new connection starts pulls (imports of the past).
 */
export async function pulls(ctx: Ctx, baseUrl: string): Promise<Loud> {
  const work: Work[] = [];
  for (let n = 0; n < PUSHERS; n += 1) work.push(await pusher(ctx, baseUrl, `Pusher ${n}`));
  const { org_id } = await createOrg(ctx, { name: 'Connecting', plan: 'scale' });
  const call = await openTeam(ctx, baseUrl, org_id);
  let users = 0;
  return {
    title: `pulls of the past: ${PUSHERS} organisations that push 17 samples a second into continuous queries`,
    owners: PUSHERS,
    work,
    ask: async () => {
      const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: `${(users += 1)}` });
      await call('POST', '/v2/link/connect/demo', { user_id, provider: 'freestyle_libre' });
      await until(() => isPulled(call, user_id));
    },
    requests: MANY,
  };
}

type Pulls = { data: { provider: Record<string, { pulled: Record<string, { status: string }> }> }[] };

async function isPulled(call: Call, userId: string): Promise<boolean> {
  const { data } = await call<Pulls>('GET', `/v2/introspect/historical_pull?user_id=${userId}`);
  const all = data.flatMap(({ provider }) => Object.values(provider).flatMap(({ pulled }) => Object.values(pulled)));
  return all.length > 0 && all.every(({ status }) => status === 'success');
}

async function pusher(ctx: Ctx, baseUrl: string, name: string): Promise<Work> {
  const { org_id, management_key } = await createOrg(ctx, { name, plan: 'scale' });
  const team = await createTeam(ctx, { org_id, name });
  const call = callerOf(baseUrl, {
    'x-service-api-key': (await createTeamKey(ctx, { team_id: team.id, label: 'bench' })).value,
  });
  const { user_id } = await call<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'pusher' });
  await callerOf(baseUrl, { 'x-management-key': management_key })(
    'POST',
    `/v1/org/${org_id}/team/${team.id}/sandbox/continuous_query`,
    {
      title: 'Heart rate by day',
      timeframe: { past: { unit: 'day', value: 7 } },
      query: {
        select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
        group_by: [{ date_trunc: { unit: 'day', value: 1 } }],
      },
    },
  );
  let pushed = 0;
  return async () => {
    const timestamp = new Date(Date.now() - 86_400_000 + (pushed += 1) * 1_000).toISOString();
    const sample = { resource: 'heartrate', provider: 'oura', source_type: 'ring', unit: 'bpm', value: 60, timestamp };
    await call('POST', `/v2/timeseries/${user_id}/samples`, [sample]);
    await wait(PUSHES_EACH_MS);
  };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await wait(LOOK_MS);
}
