import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUser } from '../../../test/factories.ts';
import { steps } from '../../../test/invented-events.ts';
import { problemsOf } from '../../../test/people.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';

type Page = { data: { user_id: string | null; body: { data: unknown } }[]; next_cursor: string; has_more: boolean };
type User = { user_id: string; client_user_id: string };

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});

const read = async (asked: string, by = team): Promise<Page> => (await by.api<Page>('GET', `/v2/events?${asked}`)).body;
const publish = (n: number, { user_id: id, client_user_id }: User): Promise<string> =>
  publishTo(app, team, steps, { n }, { id, client_user_id });

describe('the feed of one user', () => {
  test('has the events about this user, whatever was published about others', async () => {
    const [ada, grace] = [await makeUser(team), await makeUser(team)];
    await publish(1, ada);
    await sql`
      insert into events (team_id, id, event_type, body, user_id)
      select ${team.id}, gen_random_uuid(), 'daily.data.steps.created', '', ${grace.user_id}
        from generate_series(1, 4500)`.execute(app.db);
    await publish(2, ada);
    const received: unknown[] = [];
    for (let after = '', more = true; more;) {
      const page = await read(`user_id=${ada.user_id}&event_type=daily.*&limit=1${after}`);
      expect(page.data.every(({ user_id }) => user_id === ada.user_id)).toBe(true);
      received.push(...page.data.map(({ body }) => body.data));
      [after, more] = [`&after=${page.next_cursor}`, page.has_more];
    }
    expect(received).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('waits for an event about this user, not about another', async () => {
    const [ada, grace] = [await makeUser(team), await makeUser(team)];
    const { next_cursor } = await read('after=now');
    const waiting = read(`user_id=${ada.user_id}&after=${next_cursor}&wait=20`);
    await publish(1, grace);
    await publish(2, ada);
    const { data } = await waiting;
    expect(data.map(({ body }) => body.data)).toEqual([{ n: 2 }]);
  });

  test('is empty for the user of another team, and refuses what is no id', async () => {
    const ada = await makeUser(team);
    await publish(1, ada);
    const other = await app.makeTeam();
    expect((await read(`user_id=${ada.user_id}`, other)).data).toEqual([]);
    const refused = await team.api('GET', '/v2/events?user_id=ada');
    expect([refused.status, problemsOf(refused)]).toEqual([422, ['query.user_id uuid_parsing']]);
  });
});
