import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { orderKit } from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';

type Note = { id: string; order_id: string; text: string; author: string; created_at: string; code: string };
type Page = { data: Note[]; next_cursor: string | null; code: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const write = (orderId: string, body: object = { text: 'Called the patient.', author: 'Ana Ruiz' }) =>
  app.api<Note>('POST', `/v3/order/${orderId}/note`, body);
const list = async (orderId: string, of = ''): Promise<Page> =>
  (await app.api<Page>('GET', `/v3/order/${orderId}/note${of}`)).body;

test('notes of an order are listed newest first, in pages, until they are deleted', async () => {
  const [order, other] = [await orderKit(app.team), await orderKit(app.team)];
  const texts = ['One', 'Two\nlines', 'Three'];
  const made: Note[] = [];
  for (const text of texts) made.push((await write(order.id, { text, author: 'Ana Ruiz' })).body);
  await write(other.id);
  const [first, second, third] = made as [Note, Note, Note];
  expect(first).toMatchObject({ order_id: order.id, text: 'One', author: 'Ana Ruiz' });
  expect((await list(order.id)).data).toEqual([third, second, first]);
  const page = await list(order.id, '?limit=2');
  const next = await list(order.id, `?limit=2&next_cursor=${page.next_cursor}`);
  expect([page.data, next.data, next.next_cursor]).toEqual([[third, second], [first], null]);
  const path = `/v3/order/${order.id}/note/${second.id}`;
  expect((await app.api('DELETE', path)).body).toEqual({ success: true });
  expect((await app.api('DELETE', path)).status).toBe(404);
  expect((await list(order.id)).data).toEqual([third, first]);
});

test('notes are listed across the orders of a team, without those of leaving users', async () => {
  const team = await app.makeTeam();
  const [order, other, leaving] = [await orderKit(team), await orderKit(team), await orderKit(team)];
  const made: Note[] = [];
  for (const { id } of [order, other, leaving, order])
    made.push((await team.api<Note>('POST', `/v3/order/${id}/note`, { text: 'Call again.', author: 'Ana Ruiz' })).body);
  await team.api('DELETE', `/v2/user/${leaving.user_id}`);
  const [first, second, , fourth] = made;
  const of = async (by: Pick<TestApp, 'api'>, from = ''): Promise<Page> =>
    (await by.api<Page>('GET', `/v3/order_note?limit=2${from}`)).body;
  const page = await of(team);
  expect(page.data).toEqual([fourth, second]);
  expect(await of(team, `&next_cursor=${page.next_cursor}`)).toEqual({ data: [first], next_cursor: null });
  expect((await of(team, `&order_ids=${other.id}`)).data).toEqual([second]);
  expect((await of(team, `&order_ids=${other.id},${order.id}`)).data).toEqual([fourth, second]);
  expect(await of(await app.makeTeam(), `&order_ids=${other.id}`)).toEqual({ data: [], next_cursor: null });
  expect(await of(await app.makeTeam())).toEqual({ data: [], next_cursor: null });
  expect((await of(team, '&next_cursor=x')).code).toBe('invalid_cursor');
});

test('a note of one order cannot be deleted through another order', async () => {
  const [order, other] = [await orderKit(app.team), await orderKit(app.team)];
  const { body } = await write(order.id);
  expect((await app.api('DELETE', `/v3/order/${other.id}/note/${body.id}`)).status).toBe(404);
  expect((await list(order.id)).data).toEqual([body]);
});

test('a key names the author, and a text has at most 4,000 characters', async () => {
  const { id } = await orderKit(app.team);
  const anonymous = await write(id, { text: 'Whose?' });
  expect([anonymous.status, anonymous.body.code]).toEqual([400, 'author_required']);
  for (const body of [{ author: 'A' }, { text: '', author: 'A' }, { text: 'x'.repeat(4001), author: 'A' }])
    expect((await write(id, body)).status).toBe(422);
  expect((await write(id, { text: 'x'.repeat(4000), author: 'A' })).status).toBe(200);
});

test('an order has at most 200 notes', async () => {
  const { id } = await orderKit(app.team);
  await write(id);
  await query(
    app.databaseUrl,
    `insert into order_notes (user_id, order_id, id, team_id, content)
     select user_id, order_id, gen_random_uuid(), team_id, content from order_notes, generate_series(1, 199)
      where order_id = '${id}'`,
  );
  const more = await write(id);
  expect([more.status, more.body.code]).toEqual([403, 'limit_reached']);
});

test("an unknown order, another team's order and an order of a leaving user answer 404", async () => {
  const theirs = await orderKit(await app.makeTeam());
  const leaving = await orderKit(app.team);
  const { body } = await write(leaving.id);
  await app.api('DELETE', `/v2/user/${leaving.user_id}`);
  for (const id of [theirs.id, randomUUID(), leaving.id])
    for (const answer of [
      await write(id),
      await app.api('GET', `/v3/order/${id}/note`),
      await app.api('DELETE', `/v3/order/${id}/note/${body.id}`),
    ])
      expect(answer.status).toBe(404);
});

test('no event tells of a note', async () => {
  const order = await orderKit(app.team);
  const events = async () => (await app.api<{ data: unknown[] }>('GET', '/v2/events?limit=100')).body.data?.length;
  const before = await events();
  const { body } = await write(order.id);
  expect(await events()).toBe(before);
  expect((await list(order.id)).data).toEqual([body]);
});
