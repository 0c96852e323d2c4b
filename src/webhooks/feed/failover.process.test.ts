import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { steps } from '../../../test/invented-events.ts';
import { query } from '../../../test/global-setup.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { openPair, type Pair } from '../../../test/standby.ts';
import { openWay, type Way } from '../../../test/database-proxy.ts';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS, SANDBOX_SEEDS } from '../../db/database-server.ts';
import { seed } from '../../db/seed.ts';

type Page = {
  data: { body: { data: { n: number } } }[];
  next_cursor: string;
  has_more: boolean;
};

/**
 * How many events we publish. HEARD events reach the standby. LOST events do not, so they are lost with the primary. We
 * publish NEW events after the promotion of the standby.
 */
const [HEARD, LOST, NEW] = [10, 108, 108];

describe('after the promotion of a standby that lagged', () => {
  let pair: Pair;
  let way: Way;
  let app: TestApp;
  let team: Team;
  beforeAll(async () => {
    pair = await openPair(async (ownerUrl) => {
      await migrate({ ownerUrl, directory: MIGRATIONS });
      await seed({ ownerUrl, directory: SANDBOX_SEEDS });
    });
    way = await openWay(pair.primaryUrl);
    app = await startTestApp({}, { databaseUrl: way.url });
    team = app.team;
  });
  afterAll(async () => {
    await app?.close();
    way?.close();
    await pair?.close();
  });

  const asked = (after: string | null, limit = 250) =>
    team.api<Page>('GET', `/v2/events?limit=${limit}${after === null ? '' : `&after=${after}`}`);
  const read = async (after: string | null): Promise<{ received: number[]; cursor: string }> => {
    const received: number[] = [];
    for (;;) {
      const { status, body } = await asked(after);
      expect(status).toBe(200);
      received.push(...body.data.map((event) => event.body.data.n));
      after = body.next_cursor;
      if (!body.has_more) return { received, cursor: after };
    }
  };
  const publish = async (from: number, count: number): Promise<void> => {
    for (let n = from; n < from + count; n += 1) await publishTo(app, team, steps, { n });
  };
  const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

  test('no new event is skipped with any cursor, and no process has to be restarted', async () => {
    await publish(1, HEARD);
    const heard = await read(null);
    const midway = (await asked(null, 4)).body.next_cursor;
    await pair.ship();
    await publish(1_001, LOST);
    const ahead = await read(null);
    expect(ahead.received).toEqual([...numbers(1, HEARD), ...numbers(1_001, LOST)]);
    const aheadMidway = (await asked(heard.cursor, 50)).body.next_cursor;

    way.cut();
    await pair.killPrimary();
    way.leadTo(pair.standbyUrl);
    way.mend();
    // The service does not read the feed from a standby, because the standby may lack events.
    expect(await asked(ahead.cursor)).toMatchObject({ status: 503, body: { code: 'not_ready' } });
    await pair.promote();

    await publish(2_001, NEW);
    const fresh = numbers(2_001, NEW);
    expect((await read(ahead.cursor)).received).toEqual(fresh);
    expect((await read(aheadMidway)).received).toEqual(fresh);
    expect((await read(heard.cursor)).received).toEqual(fresh);
    expect((await read(midway)).received).toEqual([...numbers(5, HEARD - 4), ...fresh]);
    expect((await read(null)).received).toEqual([...numbers(1, HEARD), ...fresh]);
    const { cursor } = await read(ahead.cursor);
    await publish(3_001, 1);
    expect((await read(cursor)).received).toEqual([3_001]);
  });

  test('until the new timeline can be stored the feed answers 503, and nothing is written', async () => {
    const { cursor } = await read(null);
    await query(pair.standbyUrl, `update event_epochs set cluster = 'a former timeline'`);
    await query(pair.standbyUrl, 'revoke execute on function note_cluster() from phial_app');
    way.cut();
    way.mend();
    expect(await asked(cursor)).toMatchObject({ status: 503, body: { code: 'not_ready' } });
    await expect(publish(4_001, 1)).rejects.toThrow('The server of a new connection cannot be recorded.');
    await query(pair.standbyUrl, 'grant execute on function note_cluster() to phial_app');
    await publish(5_001, 1);
    expect((await read(cursor)).received).toEqual([5_001]);
  });
});
