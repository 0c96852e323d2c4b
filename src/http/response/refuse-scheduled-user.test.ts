import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../test/test-app.ts';
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

test('A stored answer about a user is refused while the deletion of the user is scheduled', async () => {
  const reference = randomUUID();
  const creation = keyed('/v2/user', { client_user_id: reference });
  const { user_id } = (await ask(creation)).body as { user_id: string };
  const order = await orderKit(app.team, user_id);
  const shipping = { user_id, lab_test_id: await kitTestId(app.team), shipping_details: shippingAddress };
  const asks = {
    'names the user': creation,
    'names an order of the user': keyed('/v3/order/testkit', shipping),
    'names no one, but the request names an order': keyed(
      `/v3/order/${order.id}/test?final_status=collecting_sample.testkit.with_customer`,
    ),
    'names no one, but the request names the user': keyed(`/v2/user/${user_id}/sign_in_token`),
    'is a refusal': keyed('/v2/user', { client_user_id: reference }),
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

test('A stored answer about another user, or of another team with the same key, is repeated', async () => {
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
