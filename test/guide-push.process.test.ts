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
  `the commands of the guide to pushing store data, and read it${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const guide = readFileSync('docs/guides/push-data.md', 'utf8');
    // Prints each answer on its own line.
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) =>
      `${lines}echo`.replaceAll(/\n(?=curl )/g, '\necho\n'),
    );
    const env = { ...process.env, BASE_URL: app.baseUrl, TEAM_API_KEY: app.team.api_key };
    const { stdout } = await promisify(execFile)('sh', ['-ec', commands.join('\n')], { env });
    const answers = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(answers).toMatchObject([
      { created: 2, outside_ingestion_bounds: 0 },
      { created: 1 },
      { created: 1 },
      { deleted: 1 },
      { created: 1 },
      { deleted: 2 },
      { created: 1 },
      { activity: [{ steps: 8_200 }, { steps: 10_512 }] },
    ]);
  },
);
