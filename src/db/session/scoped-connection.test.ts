import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { newId } from '../../ids.ts';
import { acrossTeams, boundToOrg, boundToTeam } from './bind.ts';
import { openDatabase, type Database, type Db, type Tx } from '../open-database.ts';
import { byIndex } from './by-index.ts';
import { prepared, varying } from './prepared.ts';
import { inTransaction, runAtCommit } from '../transaction.ts';

let app: TestApp;
let database: Database;
let ctx: TestApp['ctx'];
beforeAll(async () => {
  app = await startTestApp();
  // The pool has only one connection. So a statement would see a scope or transaction that an earlier statement left.
  database = openDatabase({ url: app.databaseUrl, poolSize: 1, role: 'phial_app', log: app.ctx.log });
  ctx = { ...app.ctx, db: database.db };
});
afterAll(async () => {
  await database.close();
  await app.close();
});

const [ONE, OTHER] = [newId(), newId()];

async function seenBy({ db }: { db: Db | Tx }): Promise<string[]> {
  const { rows } = await sql<{ seen: string[] }>`select array[current_setting('phial.team', true),
    current_setting('phial.org', true), current_setting('phial.across', true)] as seen`.execute(db);
  return rows[0]?.seen ?? [];
}
const failing = ({ db }: { db: Db | Tx }): Promise<unknown> => sql`select 1 / 0`.execute(db);

describe('a statement', () => {
  test('runs with the scope of its context, whichever scope used the connection before', async () => {
    expect(await seenBy(boundToTeam(ctx, ONE))).toEqual([ONE, '', '']);
    expect(await seenBy(boundToTeam(ctx, OTHER))).toEqual([OTHER, '', '']);
    expect(await seenBy(ctx)).toEqual(['', '', '']);
    expect(await seenBy(boundToOrg(ctx, ONE))).toEqual(['', ONE, '']);
    expect(await seenBy(acrossTeams(ctx))).toEqual(['', '', 'on']);
    expect(await seenBy(boundToTeam(acrossTeams(ctx), ONE))).toEqual([ONE, '', '']);
  });

  test('runs with its own scope after a failed statement', async () => {
    await seenBy(boundToTeam(ctx, ONE));
    await expect(failing(boundToTeam(ctx, OTHER))).rejects.toThrow('division by zero');
    expect(await seenBy(boundToTeam(ctx, OTHER))).toEqual([OTHER, '', '']);
    expect(await seenBy(boundToTeam(ctx, ONE))).toEqual([ONE, '', '']);
  });

  test('is skipped where the server refuses its scope', async () => {
    await sql`create temp table seen (id int)`.execute(ctx.db);
    // PostgreSQL accepts no text with a zero character. So the statement that sets the scope fails.
    const broken = boundToTeam(ctx, 'a\0b');
    await expect(sql`insert into seen values (1)`.execute(broken.db)).rejects.toThrow();
    const { rows } = await sql`select * from seen`.execute(ctx.db);
    expect(rows).toEqual([]);
  });

  test('never runs with the scope of a parallel statement', async () => {
    const ids = Array.from({ length: 40 }, () => newId());
    const seen = await Promise.all(ids.map((id) => seenBy(boundToTeam(app.ctx, id))));
    expect(seen).toEqual(ids.map((id) => [id, '', '']));
  });
});

describe('a transaction', () => {
  test('keeps its scope, also for another team within it', async () => {
    await inTransaction(boundToTeam(ctx, ONE), async (tx) => {
      expect(await seenBy(tx)).toEqual([ONE, '', '']);
      expect(await seenBy(boundToTeam(tx, OTHER))).toEqual([OTHER, '', '']);
      expect(await seenBy(tx)).toEqual([ONE, '', '']);
    });
    expect(await seenBy(ctx)).toEqual(['', '', '']);
  });

  test('leaves no state behind when it rolls back, whole or to a savepoint', async () => {
    const rolledBack = inTransaction(boundToTeam(ctx, ONE), async (tx) => {
      await seenBy(tx);
      await sql`savepoint work`.execute(tx.db);
      await seenBy(boundToTeam(tx, OTHER));
      await sql`rollback to savepoint work`.execute(tx.db);
      expect(await seenBy(boundToTeam(tx, OTHER))).toEqual([OTHER, '', '']);
      await expect(failing(tx)).rejects.toThrow();
      await sql`rollback to savepoint work`.execute(tx.db);
      expect(await seenBy(tx)).toEqual([ONE, '', '']);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await seenBy(boundToTeam(ctx, ONE))).toEqual([ONE, '', '']);
    expect(await seenBy(boundToTeam(ctx, OTHER))).toEqual([OTHER, '', '']);
  });

  test('rolls back when its first statement fails, and the connection stays usable', async () => {
    await expect(inTransaction(boundToTeam(ctx, ONE), failing)).rejects.toThrow('division by zero');
    expect(await seenBy(boundToTeam(ctx, ONE))).toEqual([ONE, '', '']);
  });

  test('without a statement makes no round trip and succeeds', async () => {
    expect(await inTransaction(ctx, async () => 'done')).toBe('done');
    await expect(inTransaction(ctx, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  test('fails at the commit when the caller ignored an error within it', async () => {
    const overlooked = inTransaction(ctx, async (tx) => {
      await failing(tx).catch(() => undefined);
    });
    await expect(overlooked).rejects.toThrow('rolled back');
    expect(await seenBy(ctx)).toEqual(['', '', '']);
  });
});

describe('a statement that travels with the commit', () => {
  const FAILS = { name: 'test_fails', text: 'select 1 / $1::int', values: ['0'] };
  const SETS = { name: 'test_sets', text: `select set_config('phial.test', 'set', true)`, values: [] };
  const setBy = async ({ db }: { db: Db | Tx }): Promise<string | null> => {
    const { rows } = await sql<{ is: string | null }>`
      select nullif(current_setting('phial.test', true), '') as is`.execute(db);
    return rows[0]?.is ?? null;
  };

  // At the first run, we send the statement before the commit in a round trip of its own, which prepares it. At the
  // second run, we send both in one round trip.
  test.each(['unknown to the server', 'prepared'])('and fails leaves nothing behind (%s)', async () => {
    const deed = inTransaction(boundToTeam(ctx, ONE), async (tx) => {
      await seenBy(acrossTeams(tx));
      await runAtCommit(tx, FAILS);
    });
    await expect(deed).rejects.toThrow('division by zero');
    expect(await seenBy(boundToTeam(ctx, OTHER))).toEqual([OTHER, '', '']);
  });

  test.each(['unknown to the server', 'prepared'])('changes no setting beyond its transaction (%s)', async () => {
    await inTransaction(acrossTeams(ctx), (tx) => runAtCommit(tx, SETS));
    expect([await seenBy(boundToTeam(ctx, OTHER)), await setBy(ctx)]).toEqual([[OTHER, '', ''], null]);
  });

  test('never runs when its transaction is rolled back', async () => {
    const deed = inTransaction(boundToTeam(ctx, ONE), async (tx) => {
      await runAtCommit(tx, FAILS);
      throw new Error('Changed my mind.');
    });
    await expect(deed).rejects.toThrow('Changed my mind.');
    expect(await inTransaction(boundToTeam(ctx, OTHER), seenBy)).toEqual([OTHER, '', '']);
  });
});

describe('a prepared statement', () => {
  const preparedTexts = async (): Promise<string[]> => {
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(ctx.db);
    return rows.map((row) => row.statement);
  };
  const byIds = (ids: string[]) => ctx.db.selectFrom('labs').select('name').where('slug', 'in', ids);

  test('exists once for each template, however often it runs', async () => {
    const counted = (n: number): Promise<unknown> => sql`select ${n}::int as the_counted_one`.execute(ctx.db);
    for (const n of [1, 2, 3]) await counted(n);
    expect((await preparedTexts()).filter((text) => text.includes('the_counted_one'))).toHaveLength(1);
  });

  test('is never made from a query whose text varies with its input', async () => {
    for (const n of [1, 2, 3]) await byIds(Array.from({ length: n }, () => 'unknown')).execute();
    const listed = (words: string[]): Promise<unknown> =>
      sql`select 1 as the_varying_one where ${sql.join(
        words.map((word) => sql`${word} = 'x'`),
        sql` and `,
      )}`.execute(ctx.db);
    for (const n of [1, 2, 3, 4]) await listed(Array.from({ length: n }, () => 'word'));
    for (const name of ['labs', 'orgs']) await sql`select 1 as the_varying_one from ${sql.table(name)}`.execute(ctx.db);
    await sql`select ${sql.lit(1)} as the_varying_one`.execute(ctx.db);
    const texts = await preparedTexts();
    expect(texts.filter((text) => text.includes('"slug" in'))).toEqual([]);
    expect(texts.filter((text) => text.includes('the_varying_one'))).toEqual([]);
  });

  test('exists once for each text that the source can give to a template with others in it', async () => {
    const column = sql.raw('1 as the_written_one');
    const ofLab = (slug: string) => sql`where slug = ${slug}`;
    const written = (all: boolean, slug: string): Promise<unknown> =>
      sql`select ${column} from labs ${all ? sql`` : ofLab(slug)}`.execute(ctx.db);
    for (const slug of ['a', 'b', 'c']) for (const all of [true, false]) await written(all, slug);
    expect((await preparedTexts()).filter((text) => text.includes('the_written_one'))).toHaveLength(2);
  });

  test('is dropped for a template with too many texts, and few of them stay', async () => {
    for (let n = 0; n < 50; n += 1) await sql`select ${sql.raw(`${n} as the_many`)}`.execute(ctx.db);
    expect((await preparedTexts()).filter((text) => text.includes('the_many'))).toHaveLength(8);
  });

  test('is made from a marked query of the builder, and loses its name when its text varies after all', async () => {
    await byIds(['a']).$call(prepared('labs by slug')).execute();
    await byIds(['b']).$call(prepared('labs by slug')).execute();
    expect((await preparedTexts()).filter((text) => text.includes('"slug" in'))).toHaveLength(1);
    expect(varying()).toEqual([]);
    await byIds(['a', 'b']).$call(prepared('labs by slug')).execute();
    expect(varying()).toEqual(['labs by slug']);
    expect((await preparedTexts()).filter((text) => text.includes('"slug" in'))).toHaveLength(1);
  });
});

describe('a statement that goes by index', () => {
  const settings = () => sql<{ seqscan: string; plans: string }>`
    select current_setting('enable_seqscan') as seqscan, current_setting('plan_cache_mode') as plans`;
  const BY_COST = { seqscan: 'on', plans: 'auto' };
  const BY_INDEX = { seqscan: 'off', plans: 'force_generic_plan' };
  const seen = async (query: ReturnType<typeof settings>, { db }: { db: Db | Tx }) => (await query.execute(db)).rows[0];

  test('does not change how the next statement is planned', async () => {
    const all = [];
    for (const query of [settings(), byIndex(settings()), settings(), byIndex(settings())])
      all.push(await seen(query, ctx));
    expect(all).toEqual([BY_COST, BY_INDEX, BY_COST, BY_INDEX]);
  });

  test('changes the plans of its own transaction only', async () => {
    const inside = await inTransaction(ctx, async (tx) => [
      await seen(settings(), tx),
      await seen(byIndex(settings()), tx),
      await seen(settings(), tx),
    ]);
    expect(inside).toEqual([BY_COST, BY_INDEX, BY_INDEX]);
    expect(await seen(settings(), ctx)).toEqual(BY_COST);
  });

  test('leaves nothing behind when it fails', async () => {
    await expect(byIndex(sql`select 1 / 0`).execute(ctx.db)).rejects.toThrow('division by zero');
    expect(await seen(settings(), ctx)).toEqual(BY_COST);
  });

  test('runs for its own team', async () => {
    const bound = boundToTeam(ctx, ONE);
    const { rows } = await byIndex(sql<{ team: string }>`select current_setting('phial.team') as team`).execute(
      bound.db,
    );
    expect(rows).toEqual([{ team: ONE }]);
  });
});
