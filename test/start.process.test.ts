import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canReach } from '@phial/embedded-postgres/account';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { orderKit, readOrder } from './factories.ts';
import { query } from './global-setup.ts';
import {
  endPrograms,
  makeDatabase,
  makeFolder,
  postgresIsGone,
  readCredentials,
  serve,
  servingPid,
  startProgram,
  teamAt,
  type Program,
} from './program.ts';
import { runHere } from './run-here.ts';
import { serveHere, type Served } from './serve-here.ts';

afterAll(endPrograms);

const nobody = 65_534;
const whyNot =
  process.getuid?.() !== 0
    ? 'we are that already'
    : canReach({ name: 'nobody', uid: nobody, gid: nobody }, join(PACKAGE_ROOT, 'dist'), 5)
      ? null
      : 'that user cannot read the project here';

describe('npm start in an empty directory, as a normal user where that is possible', () => {
  const user = whyNot === null ? { uid: nobody } : {};
  let dataDir: string;
  let both: [Program, Program];
  let outcomes: ('serves' | 'refused')[];
  let serving: Program;
  let refused: Program;
  beforeAll(async () => {
    dataDir = join(makeFolder(user.uid), 'data');
    const start = (): Promise<Program> => startProgram({ by: 'npm', ...user, dataDir });
    both = [await start(), await start()];
    outcomes = await Promise.all(
      both.map((program) =>
        program.serving().then(
          () => 'serves' as const,
          () => 'refused' as const,
        ),
      ),
    );
    [serving, refused] = outcomes[0] === 'serves' ? both : [both[1], both[0]];
  });

  test('of two starts at the same moment one serves, the other names it and ends', async () => {
    expect(outcomes.toSorted()).toEqual(['refused', 'serves']);
    expect((await refused.ended).code).toBe(1);
    const pid = await servingPid(dataDir);
    expect(refused.output()).toContain(`already in use by: phial serve pid=${pid} ${serving.baseUrl}`);
    expect((await teamAt(serving).api('GET', '/v2/user')).status).toBe(200);
  });

  test.skipIf(whyNot !== null)(`works as a normal user${whyNot === null ? '' : ` (skipped: ${whyNot})`}`, async () => {
    expect(statSync(join(dataDir, 'credentials.json')).uid).toBe(nobody);
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(nobody);
    expect((await teamAt(serving).api('GET', '/v2/user')).status).toBe(200);
  });

  test('prints the first keys once, and only their owner can read the file', async () => {
    const credentials = readCredentials(dataDir);
    expect(Object.keys(credentials)).toEqual(['base_url', 'org_id', 'team_id', 'team_api_key', 'management_key']);
    expect(credentials.base_url).toBe(serving.baseUrl);
    expect(statSync(join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600);
    for (const key of [credentials.team_api_key, credentials.management_key]) expect(serving.output()).toContain(key);
    expect(serving.output().match(/^ +curl /gm)).toHaveLength(3);
    const order = await orderKit(teamAt(serving));
    serving.interrupt();
    await expect.poll(() => serving.output(), { timeout: 15_000, interval: 5 }).toContain('"msg":"stopped"');
    expect(postgresIsGone(dataDir)).toBe(true);
    expect((await serving.ended).code).toBe(0);

    // As from any folder.
    const second = await serve({ by: 'npm', ...user, cwd: tmpdir(), dataDir });
    expect(readCredentials(dataDir)).toEqual({ ...credentials, base_url: second.baseUrl });
    expect(second.output()).toContain(join(dataDir, 'credentials.json'));
    for (const key of [credentials.team_api_key, credentials.management_key])
      expect(second.output()).not.toContain(key);
    expect((await readOrder(teamAt(second), order.id)).events).toEqual(order.events);
  });
});

const curl = spawnSync('curl', ['--version']).status === 0;

describe('with DATABASE_URL', () => {
  let DATABASE_URL: string;
  let program: Program;
  beforeAll(async () => {
    DATABASE_URL = await makeDatabase();
    program = await serve({ env: { DATABASE_URL } });
  });

  test('no embedded server is started, and the first keys are made all the same', async () => {
    expect(readdirSync(program.dataDir)).toEqual(['credentials.json']);
    expect((await teamAt(program).api('GET', '/v2/user')).status).toBe(200);
    // The API, deliveries and jobs each have their own connections.
    const pools = async (): Promise<unknown[]> =>
      (
        await query<{ name: string }>(
          DATABASE_URL,
          `select distinct application_name as name from pg_stat_activity
            where datname = current_database() and application_name ~ '^phial (api|delivery|jobs)$' order by 1`,
        )
      ).map(({ name }) => name);
    await expect.poll(pools, { timeout: 5_000 }).toEqual(['phial api', 'phial delivery', 'phial jobs']);
  });

  test.skipIf(!curl)(
    `the three curl lines work as they are printed${curl ? '' : ' (skipped: there is no curl)'}`,
    () => {
      const lines = program
        .output()
        .split('\n')
        .filter((line) => line.startsWith('  curl -s'));
      const answers = lines.map((line) =>
        execFileSync('sh', ['-c', `${line} -o /dev/null -w '%{http_code}'`], { encoding: 'utf8' }),
      );
      expect(answers).toEqual(['200', '200', '200']);
    },
  );

  test('a data directory that served two databases names and stores the keys of each', async () => {
    const { dataDir } = program;
    const use = async ({ stop, ...served }: Served) => {
      const team = teamAt(served);
      const { status } = await team.api('GET', '/v2/user');
      await stop();
      return { org_id: team.org_id, status, output: served.output() };
    };
    const start = async (url: string) => use(await serveHere({ dataDir, env: { DATABASE_URL: url } }));
    const [two, empty] = [await makeDatabase(), await makeDatabase()];
    const first = await use({ ...program, stop: async () => void (await program.kill('SIGTERM')) });
    const [second, again] = [await start(two), await start(DATABASE_URL)];
    expect([first.status, second.status, again.status]).toEqual([200, 200, 200]);
    expect(again.org_id).toBe(first.org_id);
    expect(again.output).toContain(`Keys: ${join(dataDir, 'credentials.json')}`);
    expect(readdirSync(dataDir).toSorted()).toEqual([`credentials.${second.org_id}.json`, 'credentials.json']);

    await runHere(['bootstrap', '--org', 'Desert Health'], { dataDir, env: { DATABASE_URL: empty } });
    const bootstrapped = await serveHere({ dataDir, env: { DATABASE_URL: empty } });
    await bootstrapped.stop();
    expect(bootstrapped.output()).toContain('Phial serves');
    expect(bootstrapped.output()).not.toContain('credentials');
  });
});
