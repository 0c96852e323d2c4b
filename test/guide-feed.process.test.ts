import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test.skipIf(!curl)(
  `the commands of the guide to the feed read events, continue and wait${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const guide = readFileSync('docs/guides/read-the-feed.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => `${lines}\necho`);
    const env = { ...process.env, BASE_URL: app.baseUrl, TEAM_API_KEY: app.team.api_key };
    const { stdout } = await promisify(execFile)('sh', ['-ec', commands.join('\n')], { env });
    const pages = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { data: { event_type: string; body: { data: { steps?: number } } }[] });
    const steps = pages.map(({ data }) =>
      data.filter(({ event_type }) => event_type.startsWith('daily.')).map(({ body }) => body.data.steps),
    );
    expect(steps).toEqual([[8200], [9100], [10_512]]);
  },
);
