import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import type { Ctx } from '../../context.ts';
import { newId } from '../../ids.ts';
import { openDatabase, type Database } from '../open.ts';
import { inTransaction, runAtCommit } from '../transaction.ts';
import { acrossTeams, boundToTeam } from './bind.ts';

let app: TestApp;
let database: Database;
let ctx: Ctx;
beforeAll(async () => {
  app = await startTestApp();
  // One connection: what a transaction leaves behind, the next one finds.
  database = openDatabase({ url: app.databaseUrl, poolSize: 1, role: 'phial_app', log: app.ctx.log });
  ctx = { ...app.ctx, db: database.db };
});
afterAll(async () => {
  await database.close();
  await app.close();
});

const [ONE, OTHER] = [newId(), newId()];
const FAILS = { name: 'test_fails', text: 'select 1 / $1::int', values: ['0'] };
const SETS = { name: 'test_sets', text: `select set_config('phial.test', 'set', true)`, values: [] };

/** Whose rows the next statement sees, and whether a statement of another transaction reached it. */
async function seen({ db }: Pick<Ctx, 'db'>): Promise<{ team: string; across: string; test: string | null }> {
  const { rows } = await sql<{ team: string; across: string; test: string | null }>`
    select current_setting('phial.team') as team, current_setting('phial.across') as across,
           nullif(current_setting('phial.test', true), '') as test`.execute(db);
  return rows[0] as { team: string; across: string; test: string | null };
}
const ofOther = { team: OTHER, across: '', test: null };

// The first time a statement is used it goes ahead of the commit to be prepared, later it travels with it.
test.each(['first', 'prepared'])('a statement that fails with the commit leaves nothing behind (%s)', async () => {
  const deed = inTransaction(boundToTeam(ctx, ONE), async (tx) => {
    await seen(acrossTeams(tx as never));
    await runAtCommit(tx, FAILS);
  });
  await expect(deed).rejects.toThrow('division by zero');
  expect(await seen(boundToTeam(ctx, OTHER))).toEqual(ofOther);
});

test.each(['first', 'prepared'])('what a statement at the commit sets ends with its transaction (%s)', async () => {
  await inTransaction(acrossTeams(ctx), (tx) => runAtCommit(tx, SETS));
  expect(await seen(boundToTeam(ctx, OTHER))).toEqual(ofOther);
});

test('a statement that waits for the commit of a transaction that is rolled back never runs', async () => {
  const deed = inTransaction(boundToTeam(ctx, ONE), async (tx) => {
    await runAtCommit(tx, FAILS);
    throw new Error('Changed my mind.');
  });
  await expect(deed).rejects.toThrow('Changed my mind.');
  const next = await inTransaction(boundToTeam(ctx, OTHER), (tx) => seen(tx as never));
  expect(next).toEqual(ofOther);
});
