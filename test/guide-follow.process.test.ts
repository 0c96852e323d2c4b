import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { makeUser } from './factories.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test.skipIf(!curl)(
  'the commands of the guide to continuous queries write one and read its ' +
    `table${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { id: TEAM_ID, org_id: ORG_ID, api_key: TEAM_API_KEY, management_key: MANAGEMENT_KEY } = app.team;
    const { user_id } = await makeUser(app.team);
    const timestamp = new Date(Date.now() - 60_000).toISOString();
    const sample = { resource: 'heartrate', provider: 'oura', timestamp, unit: 'bpm', value: 61.5 };
    await app.api('POST', `/v2/timeseries/${user_id}/samples`, [sample]);
    const guide = readFileSync('docs/guides/follow-a-number.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) =>
      lines?.replaceAll(/^curl .*$/gm, '$&\necho'),
    );
    const env = {
      ...process.env,
      BASE_URL: app.baseUrl,
      TEAM_API_KEY,
      MANAGEMENT_KEY,
      ORG_ID,
      TEAM_ID,
      USER_ID: user_id,
    };
    let isDone = false;
    const running = promisify(execFile)('sh', ['-ec', commands.join('\n')], { env }).finally(() => (isDone = true));
    while (!isDone) {
      await sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`.execute(app.db);
      await app.runJobs();
    }
    const answers = (await running).stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(answers).toMatchObject([
      { valid: true, columns: ['group_key.0', 'mean.heartrate.value'] },
      { slug: 'heart_rate_by_day', active: true },
      { table: { 'mean.heartrate.value': [61.5] } },
      { data: [{ status: 'completed' }] },
    ]);
  },
);
