import { afterAll, expect, test } from 'vitest';
import { askForClinic, endpointsOf } from './demo-clinics.ts';
import { endPrograms, serve, teamAt, type Program } from './program.ts';
import { copyReadyDataDir } from './ready-data-dir.ts';
import type { Team } from './test-app.ts';

afterAll(endPrograms);

const LOADS_WITHIN_MS = 120_000;

const stateOf = async (team: Team): Promise<{ state: string; done: number; total: number }> =>
  (await askForClinic(team, 'GET')).body;

/** What a team has: users by their own ids, orders by user, endpoints. */
async function contentsOf(team: Team): Promise<{ users: string[]; orders: Map<string, number>; endpoints: number }> {
  const { body } = await team.api<{ users: { user_id: string; client_user_id: string }[] }>(
    'GET',
    '/v2/user?limit=500',
  );
  const orders = new Map<string, number>();
  for (const { user_id, client_user_id } of body.users) {
    const page = await team.api<{ total: number }>('GET', `/v3/orders?user_id=${user_id}&size=1`);
    orders.set(client_user_id, page.body.total);
  }
  return {
    users: body.users.map(({ client_user_id }) => client_user_id).toSorted(),
    orders: new Map([...orders].toSorted()),
    endpoints: (await endpointsOf(team)).length,
  };
}

async function untilLoaded(team: Team): Promise<void> {
  const patience = { timeout: LOADS_WITHIN_MS, interval: 200 };
  await expect.poll(async () => (await stateOf(team)).state, patience).toBe('loaded');
}

/** Loads a demo clinic. Kills the program with SIGKILL each time that it has taken more steps than one of `kills`. */
async function load(dataDir: string, kills: readonly number[]): Promise<Program> {
  let program = await serve({ dataDir });
  expect((await askForClinic(teamAt(program), 'POST')).status).toBe(202);
  for (const steps of kills) {
    const team = teamAt(program);
    await expect
      .poll(async () => (await stateOf(team)).done, { timeout: LOADS_WITHIN_MS, interval: 5 })
      .toBeGreaterThanOrEqual(steps);
    const { state, done } = await stateOf(team);
    expect([state, done < 40]).toEqual(['loading', true]);
    await program.kill('SIGKILL');
    program = await serve({ dataDir, port: program.port });
    expect((await stateOf(teamAt(program))).done).toBeGreaterThanOrEqual(done);
  }
  await untilLoaded(teamAt(program));
  return program;
}

test(
  'a demo clinic goes on after kill -9 and a new start, and has everything once, as one that nobody disturbed',
  async () => {
    const undisturbed = await load(await copyReadyDataDir(), []);
    const expected = await contentsOf(teamAt(undisturbed));
    await undisturbed.kill('SIGTERM');
    expect(expected.users).toHaveLength(40);

    const killed = await load(await copyReadyDataDir(), [4, 15]);
    const team = teamAt(killed);
    const { done, total } = await stateOf(team);
    expect(done).toBe(total);
    expect(await contentsOf(team)).toEqual(expected);
    expect((await askForClinic(team, 'POST')).body.code).toBe('demo_clinic_exists');
  },
  4 * LOADS_WITHIN_MS,
);
