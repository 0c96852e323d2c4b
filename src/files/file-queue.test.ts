import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { createTeam } from '../tenancy/teams/create.ts';
import { createOrg } from '../tenancy/orgs/create.ts';
import { claimNext, type FileQueue } from './file-queue.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  for (const table of ['imports', 'lab_report_jobs', 'queue_last_served'] as const)
    await app.db.deleteFrom(table).execute();
});

type Table = FileQueue['table'];
type Owner = { org_id: string; team_id: string };
const QUEUES: Table[] = ['imports', 'lab_report_jobs'];
const queueOf = (table: Table) => ({ table, leaseSeconds: 60, begins: sql`` });

const teamOf = async (org_id: string): Promise<Owner> => ({
  org_id,
  team_id: (await createTeam(app.ctx, { org_id, name: 'Saguaro' })).id,
});

/** Adds files of a new user of the team. */
async function wait(table: Table, { team_id }: Owner, files = 1): Promise<void> {
  const user = randomUUID();
  await sql`insert into users (id, team_id, client_user_id) values (${user}, ${team_id}, ${user})`.execute(app.db);
  for (let n = 0; n < files; n += 1) {
    if (table === 'imports')
      await sql`
        insert into imports (user_id, id, team_id, kind, status, bytes)
        values (${user}, ${randomUUID()}, ${team_id}, 'gpx', 'queued', 1)`.execute(app.db);
    else
      await sql`
        insert into lab_report_jobs (user_id, id, team_id, needs_human_review)
        values (${user}, ${randomUUID()}, ${team_id}, false)`.execute(app.db);
  }
}

/** Takes the next file out of the queue, and returns its team. */
async function serveNext(table: Table): Promise<string | undefined> {
  const leased = await claimNext(app.ctx, queueOf(table));
  if (leased) await sql`delete from ${sql.table(table)} where id = ${leased.id}`.execute(app.db);
  return leased?.team_id;
}

/** How often other owners were served between two services of one owner. */
function mostBetween(served: string[], owner: string): number {
  const since = new Map<string, number>();
  let most = 0;
  for (const each of served) {
    if (each === owner) since.clear();
    else since.set(each, (since.get(each) ?? 0) + 1);
    most = Math.max(most, ...since.values());
  }
  return most;
}

describe.each(QUEUES)('the queue %s', (table) => {
  test('serves each other owner at most once before an owner is served again', { timeout: 60_000 }, async () => {
    const shapes = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const owners: Owner[] = [];
        for (const teams of shape) {
          const { org_id } = await createOrg(app.ctx, { name: 'Saguaro Labs', plan: 'scale' });
          for (let n = 0; n < teams; n += 1) owners.push(await teamOf(org_id));
        }
        // No team runs out of files while the test observes.
        const rounds = 3;
        for (const owner of owners) await wait(table, owner, rounds * Math.max(...shape) + 1);
        const served: string[] = [];
        for (let n = 0; n < rounds * shape.length * Math.max(...shape); n += 1)
          served.push((await serveNext(table)) as string);
        const orgOf = new Map(owners.map(({ team_id, org_id }) => [team_id, org_id]));
        const ofOrgs = served.map((team) => orgOf.get(team) as string);
        for (const org of new Set(orgOf.values())) {
          expect(mostBetween(ofOrgs, org)).toBeLessThanOrEqual(1);
          const within = served.filter((team) => orgOf.get(team) === org);
          for (const team of owners.filter(({ org_id }) => org_id === org))
            expect(mostBetween(within, team.team_id)).toBeLessThanOrEqual(1);
        }
        for (const { team_id } of owners)
          await sql`delete from ${sql.table(table)} where team_id = ${team_id}`.execute(app.db);
      }),
      { numRuns: 5 },
    );
  });

  test('serves a waiting owner before teams that came later and were never served', async () => {
    const [victim, org] = [app.team, await createOrg(app.ctx, { name: 'Ocotillo', plan: 'scale' })];
    const owner = { org_id: victim.org_id, team_id: victim.id };
    await wait(table, owner);
    expect(await serveNext(table)).toBe(victim.id);
    await wait(table, owner);
    for (let n = 0; n < 6; n += 1) await wait(table, await teamOf(org.org_id));
    expect(await serveNext(table)).toBe(victim.id);
  });

  test('uses the age of the organisation, also when its team was deleted and created again', async () => {
    const org = await createOrg(app.ctx, { name: 'Ocotillo', plan: 'scale' });
    const [first, second] = [await teamOf(org.org_id), await teamOf(org.org_id)];
    const victim = { org_id: app.team.org_id, team_id: app.team.id };
    await wait(table, second);
    await wait(table, first);
    await wait(table, victim);
    expect(await serveNext(table)).toBe(second.team_id);
    await sql`update teams set deleted_at = now() where id in (${first.team_id}, ${second.team_id})`.execute(app.db);
    await wait(table, await teamOf(org.org_id));
    expect(await serveNext(table)).toBe(victim.team_id);
  });
});
