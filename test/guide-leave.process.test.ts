import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { registeredKit } from './factories.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
const folder = mkdtempSync(join(tmpdir(), 'phial-guide-'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});

test.skipIf(!curl)(
  `the commands of the guide export a team and erase it${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { team } = app;
    const { id } = await registeredKit(team);
    const guide = readFileSync('docs/guides/export-and-delete-a-team.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => `${lines}\necho`);
    const keys = { MANAGEMENT_KEY: team.management_key, ORG_ID: team.org_id, TEAM_ID: team.id };
    const env = { ...process.env, BASE_URL: app.baseUrl, ...keys };
    const { stdout } = await promisify(execFile)('sh', ['-ec', commands.join('\n')], { env, cwd: folder });
    const lines = readFileSync(join(folder, 'team.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.some((line) => line.includes(id))).toBe(true);
    const answers = stdout.split('\n').filter((line) => line.startsWith('{'));
    expect(answers.map((line) => JSON.parse(line) as object)).toMatchObject([
      { type: 'end', data: { lines: lines.length - 1 } },
      { success: true, deletion: { status: 'scheduled' } },
      { team_id: team.id, status: 'scheduled' },
    ]);
    await app.runJobs();
    const deletion = await team.api('GET', `/v1/org/${team.org_id}/team/${team.id}/deletion`);
    expect(deletion.body).toMatchObject({ status: 'done', progress: { users: 1, erased_users: 1 } });
  },
);
