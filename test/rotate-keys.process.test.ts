// The change to another encryption key, with two services on one database.
import { afterEach, expect, test } from 'vitest';
import { endPrograms, makeDatabase, serve, teamAt, type Program } from './program.ts';
import { person } from './people.ts';
import { runHere } from './run-here.ts';
import { serveHere, type Served } from './serve-here.ts';

const key = (version: number): string => `${version}:${Buffer.alloc(32, version).toString('base64')}`;
const [one, two] = [key(1), key(2)];

afterEach(endPrograms);

/** Services that share a database. Each start gives them other keys. */
async function makeServices(): Promise<{
  start: (keys: string, logLevel?: string) => Promise<Served>;
  startProcess: (keys: string) => Promise<Program>;
  rotate: (keys: string) => ReturnType<typeof runHere>;
}> {
  const url = await makeDatabase();
  let dataDir: string | undefined;
  const env = (keys: string) => ({ DATABASE_URL: url, PHIAL_ENCRYPTION_KEYS: keys });
  const shared = async <S extends Served | Program>(starting: Promise<S>): Promise<S> => {
    const started = await starting;
    dataDir = started.dataDir;
    return started;
  };
  return {
    start: (keys, logLevel = 'silent') =>
      shared(serveHere({ role: 'api', env: { ...env(keys), PHIAL_LOG_LEVEL: logLevel }, dataDir })),
    startProcess: (keys) => shared(serve({ args: ['api'], env: env(keys), dataDir })),
    rotate: (keys) => runHere(['rotate-keys'], { env: env(keys), dataDir }),
  };
}

type Service = Pick<Program, 'baseUrl' | 'dataDir'>;
type Patient = { write: (by: Service, city: string) => Promise<number>; read: (by: Service) => Promise<unknown[]> };

async function makePatient(service: Service): Promise<Patient> {
  const made = await teamAt(service).api<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'a-patient' });
  const path = `/v2/user/${made.body.user_id}/info`;
  return {
    write: async (by, city) =>
      (await teamAt(by).api('PATCH', path, { ...person, address: { ...person.address, city } })).status,
    read: async (by) => {
      const { status, body } = await teamAt(by).api<{ address?: { city: string }; code?: string }>(
        'GET',
        `${path}/latest`,
      );
      return [status, body.address?.city ?? body.code];
    },
  };
}

const readiness = async (service: Service): Promise<[number, unknown]> => {
  const answer = await fetch(`${service.baseUrl}/readyz`);
  return [answer.status, await answer.json()];
};

test('no request fails while the new key becomes second, then first everywhere, and rotate-keys runs', async () => {
  const { start, rotate } = await makeServices();
  let a = await start(one);
  let b = await start(one);
  const patient = await makePatient(a);
  const both = async (city: string): Promise<void> => {
    for (const [writer, reader] of [
      [a, b],
      [b, a],
    ] as const) {
      expect(await patient.write(writer, city)).toBe(200);
      for (const by of [reader, writer]) expect(await patient.read(by)).toEqual([200, city]);
    }
    for (const by of [a, b]) expect(await readiness(by)).toEqual([200, expect.objectContaining({ status: 'ready' })]);
  };
  const restart = async (old: Served, keys: string): Promise<Served> => {
    await old.stop();
    return start(keys);
  };
  await both('Phoenix');
  for (const keys of [`${one},${two}`, `${two},${one}`]) {
    a = await restart(a, keys);
    await both('Tucson');
    const early = await rotate(`${two},${one}`);
    expect([early.code, early.output]).toEqual([1, expect.stringMatching(/Older keys are still needed: api on /)]);
    b = await restart(b, keys);
    await both('Mesa');
  }
  const rotated = await rotate(`${two},${one}`);
  expect([rotated.code, rotated.output]).toEqual([
    0,
    expect.stringMatching(/sealed with key version 2\. PHIAL_ENCRYPTION_KEYS also has version 1\. If this is the new/),
  ]);
  a = await restart(a, two);
  await both('Flagstaff');
  b = await restart(b, two);
  await both('Sedona');
  await a.stop();
  await b.stop();
});

test('a process that lacks the key of another answers 503 with the reason, and rotate-keys waits for it', async () => {
  const { start, startProcess, rotate } = await makeServices();
  const behind = await startProcess(one);
  const patient = await makePatient(behind);
  const ahead = await start(`${two},${one}`, 'info');
  await expect.poll(ahead.output).toContain('another process lacks the key with which this process encrypts');
  expect(await patient.write(ahead, 'Phoenix')).toBe(200);
  expect(await patient.read(ahead)).toEqual([200, 'Phoenix']);

  expect(await patient.read(behind)).toEqual([503, 'encryption_key_unknown']);
  await expect
    .poll(behind.output)
    .toMatch(/"key_version":2.*a value is sealed under a key that this process does not have/);
  expect(behind.output()).not.toContain('unexpected error');
  expect(await readiness(behind)).toEqual([
    503,
    expect.objectContaining({
      code: 'encryption_key_unknown',
      detail: 'Personal data is sealed under encryption key version 2, which this process does not have.',
    }),
  ]);
  const refused = await rotate(`${two},${one}`);
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(
    new RegExp(`api on \\S+ \\(pid ${behind.pid}, seen \\d+ s ago\\) does not have encryption key version 2`),
  );
  await behind.kill('SIGTERM');
  expect((await rotate(`${two},${one}`)).code).toBe(0);
  await ahead.stop();
});
