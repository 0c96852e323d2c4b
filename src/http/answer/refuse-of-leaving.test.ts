import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../test/app.ts';
import { kitTestId, makeUser, orderKit, shippingAddress } from '../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Body = { code?: string; user_id?: string };
type Ask = { path: string; body?: object; headers: Record<string, string> };
const keyed = (path: string, body?: object): Ask => ({
  path,
  ...(body && { body }),
  headers: { 'x-idempotency-key': randomUUID() },
});
const ask = ({ path, body, headers }: Ask, team = app.team): Promise<Answer<Body>> =>
  team.api<Body>('POST', path, body, { headers });
const said = ({ status, body }: Answer<Body>): unknown => [status, body.code];
const REFUSED = [404, 'user_scheduled_for_deletion'];

test('a stored answer that tells of a user is not repeated while the user is scheduled for deletion, and is after an undo', async () => {
  const reference = randomUUID();
  const creation = keyed('/v2/user', { client_user_id: reference });
  const { user_id } = (await ask(creation)).body as { user_id: string };
  const order = await orderKit(app.team, user_id);
  const shipping = { user_id, lab_test_id: await kitTestId(app.team), shipping_details: shippingAddress };
  const asks = {
    'by the id of the user in it': creation,
    'by that of an order in it': keyed('/v3/order/testkit', shipping),
    'by that of an order that was asked about': keyed(
      `/v3/order/${order.id}/test?final_status=collecting_sample.testkit.with_customer`,
    ),
    'by that of the user who was asked about': keyed(`/v2/user/${user_id}/sign_in_token`),
    'also a refusal': keyed('/v2/user', { client_user_id: reference }),
  };
  const first = new Map<string, Answer<Body>>();
  for (const [name, request] of Object.entries(asks)) first.set(name, await ask(request));
  expect([...first.values()].map(({ status }) => status)).toEqual([200, 200, 200, 200, 400]);

  await app.api('DELETE', `/v2/user/${user_id}`);
  for (const [name, request] of Object.entries(asks)) expect([name, said(await ask(request))]).toEqual([name, REFUSED]);
  await app.api('POST', `/v2/user/undo_delete?user_id=${user_id}`);
  for (const [name, request] of Object.entries(asks)) {
    const { status, body } = await ask(request);
    expect([name, status, body]).toEqual([name, first.get(name)?.status, first.get(name)?.body]);
  }
});

test('a stored answer that tells of somebody else is repeated, and so is one of another team with the same key', async () => {
  const [leaving, staying] = [await makeUser(app.team), await makeUser(app.team)];
  const other = await app.makeTeam();
  const request = keyed('/v2/user', { client_user_id: randomUUID() });
  const [here, there] = [await ask(request), await ask(request, other)];
  const token = keyed(`/v2/user/${staying.user_id}/sign_in_token`);
  const made = await ask(token);
  for (const id of [leaving.user_id, here.body.user_id]) await app.api('DELETE', `/v2/user/${id}`);
  expect(said(await ask(request))).toEqual(REFUSED);
  expect((await ask(request, other)).body).toEqual(there.body);
  expect((await ask(token)).body).toEqual(made.body);
});
