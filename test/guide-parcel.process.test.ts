import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { orderKit } from './factories.ts';
import { endPrograms, makeDatabase } from './program.ts';

const SECRET = 'secret-of-the-guide';
const missing = ['curl', 'openssl'].find((program) => spawnSync(program, ['--help']).error);

let app: TestApp;
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
  app = await startTestApp({ PHIAL_CARRIER_WEBHOOK_SECRETS: SECRET }, { databaseUrl });
}, 60_000);
afterAll(async () => {
  await app.close();
  await endPrograms();
});

test.skipIf(missing)(
  `the commands of the guide to parcels bring a kit to its user${missing ? ` (skipped: there is no ${missing})` : ''}`,
  async () => {
    const { id } = await orderKit(app.team);
    const NUMBER = '9400111200000000000042';
    const guide = readFileSync('docs/guides/follow-a-parcel.md', 'utf8');
    const commands = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => `${lines}\necho`);
    const given = {
      BASE_URL: app.baseUrl,
      TEAM_API_KEY: app.team.api_key,
      TEAM_ID: app.team.id,
      SECRET,
      NUMBER,
      ORDER_ID: id,
    };
    const env = { ...process.env, DATABASE_URL: databaseUrl, PHIAL_LOG_LEVEL: 'silent', ...given };
    let isDone = false;
    const running = promisify(execFile)('sh', ['-ec', commands.join('\n')], { env, cwd: PACKAGE_ROOT }).finally(
      () => (isDone = true),
    );
    while (!isDone) await app.runJobs();
    const { stdout } = await running;
    expect(stdout).toMatch(/^Updates about these numbers now advance the order of the kit\.\n/);
    const answers = stdout.split('\n').filter((line) => line.startsWith('{'));
    expect(answers.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { received: true },
      {
        id,
        last_event: { status: 'collecting_sample.testkit.with_customer' },
        details: { data: { shipment: { outbound_tracking_number: NUMBER } } },
      },
    ]);
  },
  60_000,
);
