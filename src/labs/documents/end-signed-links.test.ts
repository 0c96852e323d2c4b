// Signed links end before they expire if somebody ends all links of the team, or deletes the key that obtained them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { loseResults, registeredKit } from '../../../test/factories.ts';
import { createManagementKey } from '../../tenancy/keys/create-management-key.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import { endSignedLinks } from '../../tenancy/teams/end-signed-links.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Key = { id: string; value: string };
type Order = { id: string; user_id: string; requisition_form_url: string | null };

const makeKey = (team: Team, scopes: string[] | null = null): Promise<Key> =>
  createTeamKey(app.ctx, { team_id: team.id, label: 'of links', scopes: scopes as never });
const revoke = (team: Team, { id }: Key): Promise<Answer> =>
  app.api('DELETE', `/v1/org/${team.org_id}/team_api_keys/sandbox/us?api_key_id=${id}`, undefined, manager(team));
const manager = ({ management_key }: Team) => ({ key: management_key });
const teamPath = ({ id, org_id }: Team): string => `/v1/org/${org_id}/team/${id}`;

/** Obtains a link to the requisition and a link to the portal with `key`. */
async function linksOf(team: Team, order: { id: string; user_id: string }, key: Key): Promise<string[]> {
  const read = await team.api<Order>('GET', `/v3/order/${order.id}`, undefined, { key: key.value });
  const body = { context: 'launch', order_id: order.id };
  const path = `/v2/user/${order.user_id}/create_portal_url`;
  const portal = await team.api<{ url: string }>('POST', path, body, { key: key.value });
  return [read.body.requisition_form_url as string, portal.body.url];
}
const statusOf = async (link: string): Promise<number> =>
  (await fetch(`${app.baseUrl}${new URL(link).pathname}`)).status;
const statusesOf = (links: string[]): Promise<number[]> => Promise.all(links.map(statusOf));

describe('all signed links of a team', () => {
  test('end at once through its management key; new ones can be obtained, and other teams keep theirs', async () => {
    const [team, other] = [await app.makeTeam(), await app.makeTeam()];
    const [order, otherOrder] = [await registeredKit(team), await registeredKit(other)];
    const [key, otherKey] = [await makeKey(team), await makeKey(other)];
    const [links, otherLinks] = [await linksOf(team, order, key), await linksOf(other, otherOrder, otherKey)];
    expect(await statusesOf([...links, ...otherLinks])).toEqual([200, 200, 200, 200]);
    const ended = await app.api('POST', `${teamPath(team)}/end_signed_links`, undefined, manager(team));
    expect(ended.status).toBe(204);
    expect(await statusesOf([...links, ...otherLinks])).toEqual([403, 403, 200, 200]);
    expect(await statusesOf(await linksOf(team, order, key))).toEqual([200, 200]);
  });

  test('cannot be ended by another organisation or with a team key', async () => {
    const [team, other] = [await app.makeTeam(), await app.makeTeam()];
    const end = (key: string | null): Promise<Answer> =>
      app.api('POST', `${teamPath(team)}/end_signed_links`, undefined, { key });
    expect((await end(null)).status).toBe(401);
    expect((await end(team.api_key)).status).toBe(401);
    const path = `/v1/org/${other.org_id}/team/${team.id}/end_signed_links`;
    expect((await app.api('POST', path, undefined, manager(other))).status).toBe(404);
    const mistyped = `/v1/org/${team.org_id}/team/x/end_signed_links`;
    expect((await app.api('POST', mistyped, undefined, manager(team))).status).toBe(422);
  });

  test('can be ended by the operator, and an unknown team is refused', async () => {
    const team = await app.makeTeam();
    const links = await linksOf(team, await registeredKit(team), await makeKey(team));
    await endSignedLinks(app.ctx, team);
    // The database notifies the service only a moment later. But the service also checks a link at each use.
    expect(await statusesOf(links)).toEqual([403, 403]);
    const foreignTeam = { id: team.id, org_id: app.team.org_id };
    await expect(endSignedLinks(app.ctx, foreignTeam)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('links that one key has obtained', () => {
  const patch = (team: Team, signed_links_end_with_key: boolean | null): Promise<Answer> =>
    app.api('PATCH', teamPath(team), { sandbox: { signed_links_end_with_key } }, manager(team));

  test('end with a key of limited scopes, and stay with another key, unless the team chooses otherwise', async () => {
    for (const [choice, limited, unlimited] of [
      [null, 403, 200],
      [true, 403, 403],
      [false, 200, 200],
    ] as const) {
      const team = await app.makeTeam();
      expect((await patch(team, choice)).status).toBe(200);
      const order = await registeredKit(team);
      const keys = [await makeKey(team, ['orders', 'results']), await makeKey(team)];
      const links = await Promise.all(keys.map((key) => linksOf(team, order, key)));
      expect(await statusesOf(links.flat())).toEqual([200, 200, 200, 200]);
      for (const key of keys) await revoke(team, key);
      expect([choice, ...(await statusesOf(links.flat()))]).toEqual([choice, limited, limited, unlimited, unlimited]);
    }
  });

  test('name the key in the audit log, also for a link from a page that was obtained with the key', async () => {
    const team = await app.makeTeam();
    const key = await makeKey(team, ['orders', 'results']);
    const [requisition, portal] = (await linksOf(team, await registeredKit(team), key)) as [string, string];
    const page = await fetch(`${app.baseUrl}${new URL(portal).pathname}`);
    expect(page.status).toBe(200);
    const opened = await fetch(`${app.baseUrl}${new URL(requisition).pathname}`);
    await app.flushAudit();
    for (const { headers } of [page, opened]) {
      const line = await app.db
        .selectFrom('audit_log')
        .select(['actor', 'records'])
        .where('request_id', '=', headers.get('x-request-id'))
        .executeTakeFirstOrThrow();
      expect(line.actor).toBe('signed_link');
      expect(line.records).toContain(key.id);
    }
  });

  test('end with the management key that made an access token, if the team chooses so', async () => {
    const team = await app.makeTeam();
    await patch(team, true);
    const order = await registeredKit(team);
    const label = 'to be revoked';
    const made = await createManagementKey(app.ctx, { org_id: team.org_id, label, role: 'org_admin', team_ids: null });
    const token = await app.api<{ access_token: string }>(
      'POST',
      `${teamPath(team)}/create_api_access_token`,
      { env: 'sandbox' },
      { key: made.value },
    );
    const headers = { authorization: `Bearer ${token.body.access_token}` };
    const read = await app.api<Order>('GET', `/v3/order/${order.id}`, undefined, { key: null, headers });
    const link = read.body.requisition_form_url as string;
    expect(await statusOf(link)).toBe(200);
    await app.api('DELETE', `/v1/org/${team.org_id}/management_key/${made.id}`, undefined, manager(team));
    expect(await statusOf(link)).toBe(403);
  });
});

describe('a key whose scopes do not include documents', () => {
  test('sees no link to a document in the events of orders, while other keys do', async () => {
    const team = await app.makeTeam();
    const creator = await makeKey(team, ['orders', 'users', 'insurance']);
    const byCreator: Team['api'] = (method, path, body, options) =>
      team.api(method, path, body, { key: creator.value, ...options });
    await registeredKit({ ...team, api: byCreator });
    type Events = { data: { event_type: string; body: { data: Order } }[] };
    const urls = async (key: Key): Promise<(string | null)[]> => {
      const { body } = await team.api<Events>('GET', '/v2/events', undefined, { key: key.value });
      const ofOrders = body.data.filter(({ event_type }) => event_type.startsWith('labtest.order.'));
      return ofOrders.map(({ body: { data } }) => data.requisition_form_url);
    };
    const listed = await urls(await makeKey(team));
    expect(listed.filter((url) => url !== null).length).toBeGreaterThan(0);
    expect(await urls(await makeKey(team, ['events', 'orders:read']))).toEqual(listed);
    expect(await urls(await makeKey(team, ['events', 'results']))).toEqual(listed.map(() => null));
    await revoke(team, creator);
    expect(await statusOf(listed.findLast((url) => url !== null) as string)).toBe(200);
  });

  test('does not get a stored answer with a link: an idempotency key matches only with the same scopes', async () => {
    const team = await app.makeTeam();
    const { order, unmatched_id } = await loseResults(team);
    const accept = (key: Key): Promise<Answer<{ code: string; requisition_form_url: string | null }>> =>
      team.api(
        'POST',
        `/v3/unmatched_result/${unmatched_id}/accept`,
        { order_id: order.id },
        { key: key.value, headers: { 'x-idempotency-key': 'once' } },
      );
    const [whole, limited] = [await makeKey(team), await makeKey(team, ['results'])];
    const answer = await accept(whole);
    expect(answer.body.requisition_form_url).toEqual(expect.any(String));
    expect(await accept(limited)).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } });
    expect((await accept(whole)).body).toEqual(answer.body);
  });

  test('gets its own stored answer again, and so does another key with the same scopes', async () => {
    const team = await app.makeTeam();
    const { order, unmatched_id } = await loseResults(team);
    const path = `/v3/unmatched_result/${unmatched_id}/accept`;
    const headers = { 'x-idempotency-key': 'once' };
    const scopes = ['results', 'users:read'];
    const answers: unknown[] = [];
    for (const key of [await makeKey(team, scopes), await makeKey(team, scopes.toReversed())])
      answers.push((await team.api('POST', path, { order_id: order.id }, { key: key.value, headers })).body);
    expect(answers[0]).toMatchObject({ id: order.id, requisition_form_url: null });
    expect(answers[1]).toEqual(answers[0]);
  });
});
