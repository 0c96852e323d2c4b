import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { makeUser } from './factories.ts';
import { endPrograms, makeFolder } from './program.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

/** Another deployment of the interface, and the one that its client is switched to. */
let old: TestApp;
let app: TestApp;
beforeAll(async () => {
  [old, app] = await Promise.all([startTestApp(), startTestApp()]);
});
afterAll(async () => {
  await Promise.all([old.close(), app.close()]);
  await endPrograms();
});

type Exported = { data: { user_id: string; access_token: string }[] };
const exported = async (from: TestApp): Promise<Exported['data']> =>
  (await from.api<Exported>('POST', '/v2/link/bulk_export', { provider: 'oura' })).body.data;

test.skipIf(!curl)(
  `the commands of the guide to switching move users twice${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const users = [await makeUser(old.team), await makeUser(old.team)];
    const facts = { fallback_time_zone: 'America/Denver', ingestion_start: '2026-01-05' };
    await old.api('PATCH', `/v2/user/${users[0]?.user_id}`, { ...facts, fallback_birth_date: '1984-02-03' });
    const connections = users.map(({ user_id }, n) => ({
      user_id,
      access_token: `access-${n}`,
      refresh_token: `refresh-${n}`,
      provider_id: `oura-${n}`,
      expires_at: 2_000_000_000,
    }));
    await old.api('POST', '/v2/link/bulk_import', { provider: 'oura', connections, wait_for_completion: true });

    const guide = readFileSync('docs/guides/switch-an-existing-client.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) =>
      lines?.replaceAll(/^(curl (?:.*\\\n)*.*)$/gm, '$1\necho'),
    );
    const folder = makeFolder();
    writeFileSync(join(folder, 'move.mjs'), /```js\n([^]*?)```/.exec(guide)?.[1] ?? '');
    const given = {
      BASE_URL: app.baseUrl,
      TEAM_API_KEY: app.team.api_key,
      MANAGEMENT_KEY: app.team.management_key,
      ORG_ID: app.team.org_id,
      TEAM_ID: app.team.id,
      OLD_BASE_URL: old.baseUrl,
      OLD_API_KEY: old.team.api_key,
    };
    const again = commands.at(-1);
    // The block of README exports nothing, so programs that the guide starts do not see these variables.
    const variables = Object.entries(given).map(([name, value]) => `${name}='${value}'`);
    const script = [...variables, ...commands, again].join('\n');
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: folder });
    const answers = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

    const ids = JSON.parse(readFileSync(join(folder, 'ids.json'), 'utf8')) as Record<string, string>;
    const secret = { key: expect.stringMatching(/^whsec_/) };
    expect(answers).toMatchObject([
      { total: 0 },
      { zip_code: '85004' },
      secret,
      { user_ids_failed: [] },
      { user_ids_failed: [] },
    ]);
    for (const { user_ids_imported } of answers.slice(3))
      expect((user_ids_imported as string[]).toSorted()).toEqual(users.map(({ user_id }) => ids[user_id]).toSorted());
    expect(JSON.stringify(answers[1])).toContain('"appointment_with_acme":true');
    expect((await app.api('GET', `/v2/user/${ids[users[0]?.user_id ?? '']}`)).body).toMatchObject({
      fallback_time_zone: { id: 'America/Denver' },
      fallback_birth_date: { value: '1984-02-03' },
      ingestion_start: '2026-01-05',
      ingestion_end: null,
    });
    for (const [n, { user_id, client_user_id }] of users.entries()) {
      const here = await app.api<{ client_user_id: string }>('GET', `/v2/user/${ids[user_id]}`);
      expect(here.body.client_user_id).toBe(client_user_id);
      expect((await exported(app)).find((each) => each.user_id === ids[user_id])?.access_token).toBe(`access-${n}`);
    }
  },
  120_000,
);
