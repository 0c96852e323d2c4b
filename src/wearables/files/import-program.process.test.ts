// Imports by the whole program, as users run it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { apiOf, type Api } from '../../../test/test-app.ts';
import { appleExport, heartRates, type FileImport } from '../../../test/exports.ts';
import { makeUser } from '../../../test/people.ts';
import { endPrograms, makeFolder, serve, type Program } from '../../../test/program.ts';
import { NOT_LOADED } from '../../files/parser-process.ts';
import type { Credentials } from '../../first-keys-file.ts';
import { PACKAGE_ROOT } from '../../package-root.ts';

afterEach(endPrograms);

const credentialsOf = ({ dataDir }: Program): Credentials =>
  JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;

function callerOf(program: Program): Api {
  const { team_api_key, management_key } = credentialsOf(program);
  return apiOf(program.baseUrl, team_api_key, management_key);
}

const isOver = ({ status }: FileImport): boolean => status === 'success' || status === 'failure';

test('the next start of the program ends an import that a kill interrupted, and stores nothing twice', async () => {
  // This needs the PostgreSQL server that the program starts. With an external server, a job of the killed program may
  // still run in a server process that this test cannot see.
  const first = await serve();
  const user_id = await makeUser(callerOf(first));
  const sent = await callerOf(first)<FileImport>('POST', `/v2/user/${user_id}/import`, undefined, {
    raw: appleExport(heartRates(8_000)) as unknown as string,
    headers: { 'content-type': 'application/zip' },
  });
  const read = async (program: Program): Promise<FileImport> =>
    (await callerOf(program)<FileImport>('GET', `/v2/user/${user_id}/import/${sent.body.id}`)).body;
  await expect.poll(async () => (await read(first)).created).toBeGreaterThan(0);
  await first.kill('SIGKILL');
  const second = await serve({ dataDir: first.dataDir });
  await expect.poll(async () => isOver(await read(second)), { timeout: 60_000 }).toBe(true);
  const done = await read(second);
  expect(done).toMatchObject({ status: 'success', created: 8_000, error: null });
  expect(done.unchanged).toBeGreaterThan(0);
  const { body } = await callerOf(second)<unknown[]>(
    'GET',
    `/v2/timeseries/${user_id}/heartrate?start_date=2026-01-01&end_date=2026-12-31`,
  );
  expect(body).toHaveLength(8_000);
});

test('a parser that cannot load its modules does not blame the file', () => {
  const program = join(PACKAGE_ROOT, 'dist/src/wearables/files/parse/child.js');
  const path = join(makeFolder(), 'export.zip');
  writeFileSync(path, appleExport(heartRates(1)));
  const run = (...options: string[]) =>
    spawnSync(process.execPath, [...options, program, 'apple_health', path, '1000000', '0'], { encoding: 'utf8' });
  expect(run()).toMatchObject({ status: 0, stdout: expect.stringMatching(/"done":true/) as string });
  // As if a file of the program were missing, because somebody replaces the program just now.
  const hook = `export async function load(url, context, next) {
    if (url.includes('parse-apple-export')) throw new Error('missing');
    return next(url, context);
  }`;
  const registered = `import { register } from 'node:module'; register(${JSON.stringify(asModule(hook))});`;
  expect(run('--import', asModule(registered))).toMatchObject({ status: NOT_LOADED, stdout: '' });
});

const asModule = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
