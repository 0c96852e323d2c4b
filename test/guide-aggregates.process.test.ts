import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { makeUser, pushSummaries } from './factories.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test.skipIf(!curl)(
  `the query of the guide to aggregates returns a table${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { user_id } = await makeUser(app.team);
    const night = { provider: 'oura', total: 25_200, efficiency: 91.5 };
    const times = { bedtime_start: '2026-01-10T00:15:00Z', bedtime_stop: '2026-01-10T08:15:00Z' };
    await pushSummaries(app.team, user_id, 'sleep', [{ ...night, ...times }]);
    const guide = readFileSync('docs/guides/ask-aggregates.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => lines);
    const env = { ...process.env, BASE_URL: app.baseUrl, TEAM_API_KEY: app.team.api_key, USER_ID: user_id };
    const { stdout } = await promisify(execFile)('sh', ['-ec', commands.join('\n')], { env });
    expect(JSON.parse(stdout)).toEqual({
      results: [
        {
          table: {
            'group_key.0': ['2026-01-05'],
            'mean.sleep.efficiency': [91.5],
            'newest.sleep.chronotype': ['normal'],
          },
        },
      ],
    });
  },
);
