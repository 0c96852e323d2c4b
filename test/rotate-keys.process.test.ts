// The change to another encryption key, with two processes on one database.
import { afterEach, expect, test } from 'vitest';
import { endPrograms, makeDatabase, runCommand, serve, teamAt, type Program } from './program.ts';
import { person } from './people.ts';

const key = (version: number): string => `${version}:${Buffer.alloc(32, version).toString('base64')}`;
const [one, two] = [key(1), key(2)];

afterEach(endPrograms);

/** Ten starts of the program, one after the other. */
const PATIENCE_MS = 400_000;

/** Two processes that share a database. Each start gives them other keys. */
async function makeProcesses(): Promise<{
  start: (keys: string, role?: string) => Promise<Program>;
  rotate: (keys: string) => ReturnType<typeof runCommand>;
}> {
  const url = await makeDatabase();
  let dataDir: string | undefined;
  const env = (keys: string) => ({ DATABASE_URL: url, PHIAL_ENCRYPTION_KEYS: keys });
  return {
    start: async (keys, role = 'api') => {
      const program = await serve({ args: [role], env: env(keys), dataDir });
      dataDir = program.dataDir;
      return program;
    },
    rotate: (keys) => runCommand(['rotate-keys'], { env: env(keys), dataDir }),
  };
}

type Patient = { write: (by: Program, city: string) => Promise<number>; read: (by: Program) => Promise<unknown[]> };

async function makePatient(program: Program): Promise<Patient> {
  const made = await teamAt(program).api<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'a-patient' });
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

const readiness = async (program: Program): Promise<[number, unknown]> => {
  const answer = await fetch(`${program.baseUrl}/readyz`);
  return [answer.status, await answer.json()];
};

test(
  'no request fails while the new key becomes second everywhere, then first everywhere, and rotate-keys runs',
  async () => {
    const { start, rotate } = await makeProcesses();
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
    const restart = async (old: Program, keys: string): Promise<Program> => {
      await old.kill('SIGTERM');
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
    expect([rotated.code, rotated.output]).toEqual([0, expect.stringContaining('sealed with key version 2')]);
    a = await restart(a, two);
    await both('Flagstaff');
    b = await restart(b, two);
    await both('Sedona');
  },
  PATIENCE_MS,
);

test(
  'a process that lacks the key of another answers 503 with the reason, and rotate-keys waits for it',
  async () => {
    const { start, rotate } = await makeProcesses();
    const behind = await start(one);
    const patient = await makePatient(behind);
    const ahead = await start(`${two},${one}`);
    await expect.poll(ahead.output).toContain('another process does not have the key that this process seals with');
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
  },
  PATIENCE_MS,
);
