import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { bookedOrder, orderBy } from '../../../test/collected-orders.ts';
import { makeUser, orderKit, patientDetails, readOrder, registeredKit, simulate } from '../../../test/factories.ts';
import { textOf } from '../../../test/pdf.ts';
import { signToken } from '../../privacy/signed-link.ts';
import { COLLECTION_METHODS, fullStatus, statusesOf } from '../orders/status/statuses.ts';
import type { PortalUrl } from './schemas.ts';
import { stepOf } from './steps.ts';

type Link = Static<typeof PortalUrl>;
type Context = 'launch' | 'communications';
type OpenedPage = { status: number; headers: Headers; text: string };

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam('Clinic <b>One</b>');
});

const HOUR = 3_600;
const linkTo = async (user_id: string, context: Context, order_id?: string): Promise<Link> =>
  (await team.api<Link>('POST', `/v2/user/${user_id}/create_portal_url`, { context, ...(order_id && { order_id }) }))
    .body;
/** Returns the path of a URL from a page or from a response. */
const pathOf = (url: string): string => new URL(url, 'http://localhost/documents/portal/here').pathname;
/** Fetches a link from the test server. The link itself lacks the port of this server. */
const fetched = (url: string): Promise<Response> => fetch(app.baseUrl + pathOf(url));
async function open(url: string): Promise<OpenedPage> {
  const response = await fetched(url);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const linksIn = ({ text }: OpenedPage): string[] =>
  [...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => (href as string).replaceAll('&amp;', '&'));
async function pageOf(orderId: string, context: Context = 'launch'): Promise<OpenedPage> {
  const { user_id } = await readOrder(team, orderId);
  return open((await linkTo(user_id, context, orderId)).url);
}

describe('the page of an order', () => {
  test('shows the state of the order, and how the sample is collected, in words for the patient', async () => {
    const { id, user_id } = await registeredKit(team);
    const link = await linkTo(user_id, 'launch', id);
    expect(link.expires_in).toBe(HOUR);
    expect(link.url).toMatch(/^http:\/\/localhost:\d+\/documents\/portal\/[\w-]{119}$/);
    const page = await open(link.url);
    expect(page.status).toBe(200);
    for (const words of [
      'From Clinic &lt;b&gt;One&lt;/b&gt;',
      'Your kit is registered',
      'How your sample is collected',
      'Press a lancet onto the side of the fingertip',
      'You can open this page for 59 minutes more.',
    ])
      expect(page.text).toContain(words);
    for (const one of [patientDetails.first_name, patientDetails.last_name, patientDetails.email, patientDetails.dob])
      expect(page.text).not.toContain(one);
    expect(page.text).not.toContain('<b>');
    expect(page.text).not.toContain('<script');
  });

  test('cannot be stored, framed or traced, and runs no script', async () => {
    const { headers } = await pageOf((await orderKit(team)).id);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': expect.stringContaining('no-store'),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; .*form-action 'none'; frame-ancestors 'none'$/,
      ),
    });
  });

  test('links to the final results on a page of launch, until the page expires, and not from a message', async () => {
    const { id } = await registeredKit(team);
    expect(linksIn(await pageOf(id))).toEqual([]);
    await simulate(team, id);
    const page = await pageOf(id);
    expect(page.text).toContain('Your results are ready');
    expect(page.text).not.toContain('How your sample is collected');
    const [result] = linksIn(page) as [string];
    const response = await fetched(result);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect((await textOf({ bytes })).join(' ')).toContain('Total cholesterol');
    const message = await pageOf(id, 'communications');
    expect(message.text).toContain('Sign in with Clinic &lt;b&gt;One&lt;/b&gt; to read them.');
    expect(linksIn(message)).toEqual([]);
    const token = pathOf(result).split('/').at(-1) as string;
    const expires = Buffer.from(token, 'base64url').readUInt32BE(1);
    expect(Math.abs(expires - (Date.now() / 1000 + HOUR))).toBeLessThan(60);
  });

  test('names the test if the user has signed in, and in a message only its day', async () => {
    const order = await registeredKit(team);
    const { name } = order['lab_test'] as { name: string };
    expect((await pageOf(order.id)).text).toContain(`<h1>${name}</h1>`);
    const link = await linkTo(order.user_id, 'communications', order.id);
    expect(link.expires_in).toBe(72 * HOUR);
    const message = await open(link.url);
    expect(message.text).toMatch(/<h1>Test ordered on [A-Z][a-z]{2} \d+, \d{4}<\/h1>/);
    expect(message.text).toContain('You can open this page for 71 hours more.');
    expect(message.text).not.toContain(name);
  });

  test('shows when and where an appointment is, in its local time, and hides a home address', async () => {
    const center = await pageOf(await bookedOrder(team, 'psc'), 'communications');
    expect(center.text).toMatch(
      /[A-Z][a-z]+day, [A-Z][a-z]+ \d+, \d{4}, between \d+:\d\d [AP]M and \d+:\d\d [AP]M MST/,
    );
    expect(center.text).toContain('AZ 850');
    const home = await pageOf(await bookedOrder(team, 'phlebotomy'));
    expect(home.text).toContain('At the address that you gave.');
    for (const one of ['100 West Test Street', 'Ring twice']) expect(home.text).not.toContain(one);
  });

  test('links to the requisition for the desk of a service center, until the sample is taken', async () => {
    const id = await orderBy(team, 'walk_in_test');
    const [requisition] = linksIn(await pageOf(id)) as [string];
    expect(pathOf(requisition)).toContain('/documents/requisition/');
    expect((await fetched(requisition)).headers.get('content-type')).toBe('application/pdf');
    expect(linksIn(await pageOf(id, 'communications'))).toEqual([]);
    await simulate(team, id, `?final_status=${fullStatus('walk_in_test', 'partial_results')}`);
    expect(linksIn(await pageOf(id))).toEqual([]);
  });

  test('links to the parcel at its carrier, and to the contacts of the team', async () => {
    const brand = {
      company_name: 'One & Co',
      support_email: 'help@example.com',
      support_contact: '+1 602 555 0199',
      company_website: 'https://clinic.example.com/?a=1&b="2"',
    };
    await app.db
      .updateTable('teams')
      .set({ settings: JSON.stringify({ brand_information: brand }) })
      .where('id', '=', team.id)
      .execute();
    const { id } = await orderKit(team);
    await simulate(team, id, `?final_status=${fullStatus('testkit', 'out_for_delivery')}`);
    const page = await pageOf(id, 'communications');
    expect(page.text).toContain('Questions? Ask One &amp; Co');
    expect(linksIn(page)).toEqual([
      expect.stringMatching(/^https:\/\/tracking\.example\.com\/SIM/),
      'tel:+16025550199',
      'mailto:help@example.com',
      expect.stringContaining('https://clinic.example.com/'),
    ]);
  });
});

describe('the page of a user', () => {
  test('lists the newest orders, each with a link to its own page that expires with this one', async () => {
    const { user_id } = await makeUser(team);
    const empty = await open((await linkTo(user_id, 'launch')).url);
    expect(empty.text).toContain('There is no test here yet.');
    const [first, second] = [await orderKit(team, user_id), await orderKit(team, user_id)];
    await orderKit(team);
    await team.api('POST', `/v3/order/${first.id}/cancel`);
    const page = await open((await linkTo(user_id, 'launch')).url);
    expect([...page.text.matchAll(/<span>([^<]+)<\/span>/g)].map(([, now]) => now)).toEqual([
      'Your kit is being prepared',
      'This test was cancelled',
    ]);
    const [newest] = linksIn(page) as [string];
    const opened = await open(newest);
    expect([opened.status, opened.text.includes('Your kit is being prepared')]).toEqual([200, true]);
    expect(second.user_id).toBe(user_id);
    const message = await open((await linkTo(user_id, 'communications')).url);
    expect(linksIn(message).every((href) => href.startsWith('../portal-message/'))).toBe(true);
  });

  test('shows at most twenty orders', async () => {
    const { user_id } = await makeUser(team);
    for (let made = 0; made < 21; made += 1) await orderKit(team, user_id);
    const page = await open((await linkTo(user_id, 'launch')).url);
    expect([linksIn(page).length, page.text.includes('Older tests are not shown here.')]).toEqual([20, true]);
  });
});

describe('a refused link', () => {
  test('shows the same page for every reason, and each use is in the audit log', async () => {
    const { id, user_id } = await registeredKit(team);
    const { url } = await linkTo(user_id, 'launch', id);
    const good = await open(url);
    const token = url.split('/').at(-1) as string;
    const signed = (kind: string, changes: object = {}): string =>
      signToken(app.ctx.cipher, kind, {
        team_id: team.id,
        id,
        expires: Math.floor(Date.now() / 1000) + HOUR,
        ...changes,
      });
    const at = (kind: string, value: string): string => `http://localhost/documents/${kind}/${value}`;
    const refused = [
      await open(at('portal', signed('portal', { expires: Math.floor(Date.now() / 1000) - 1 }))),
      await open(at('portal', `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`)),
      await open(at('portal-message', token)),
      await open(at('portal', signed('portal-message'))),
      await open(at('portal', signed('portal', { id: randomUUID() }))),
      await open(at('portal', signed('portal', { team_id: (await app.makeTeam()).id }))),
      await open(at('portal', 'x')),
    ];
    await team.api('DELETE', `/v2/user/${user_id}`);
    refused.push(await open(url), await open(at('portal', signed('portal', { id: user_id }))));
    const [first] = refused as [OpenedPage];
    expect(first.text).toContain('<h1>This link does not open</h1>');
    for (const each of refused) {
      expect([each.status, each.text]).toEqual([403, first.text]);
      expect(each.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(each.headers.get('cache-control')).toContain('no-store');
      expect(each.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    await team.api('POST', `/v2/user/undo_delete?user_id=${user_id}`);
    expect((await open(url)).text).toBe(good.text);
    const asked = [good, first].map(({ headers }) => headers.get('x-request-id') as string);
    await expect
      .poll(() =>
        app.db
          .selectFrom('audit_log')
          .select(['actor', 'action', 'status', 'records'])
          .where('request_id', 'in', asked)
          .orderBy('id')
          .execute(),
      )
      .toEqual([
        { actor: 'signed_link', action: 'open_portal', status: 200, records: [id, expect.any(String)] },
        { actor: 'signed_link', action: 'open_portal', status: 403, records: [id] },
      ]);
  });

  test('is not made for an order of another user, nor for a user who is scheduled for deletion', async () => {
    const { id, user_id } = await orderKit(team);
    const other = await makeUser(team);
    const codeOf = async (userId: string, body: object): Promise<unknown[]> => {
      const answer = await team.api<{ code: string }>('POST', `/v2/user/${userId}/create_portal_url`, body);
      return [answer.status, answer.body.code];
    };
    expect(await codeOf(other.user_id, { context: 'launch', order_id: id })).toEqual([404, 'not_found']);
    expect(await codeOf(user_id, { context: 'elsewhere' })).toEqual([422, 'validation_failed']);
    expect(await codeOf(user_id, {})).toEqual([422, 'validation_failed']);
    await team.api('DELETE', `/v2/user/${user_id}`);
    expect(await codeOf(user_id, { context: 'launch' })).toEqual([404, 'user_scheduled_for_deletion']);
  });
});

test.each(COLLECTION_METHODS.flatMap((method) => statusesOf(method).map((status) => [method, status] as const)))(
  'there are words for an order by %s that is %s',
  (method, status) => {
    for (const hasPatient of [true, false]) {
      const { now, next } = stepOf({ status, method, hasPatient, from: 'the clinic', mayShowResults: true });
      expect([now, next].every((words) => /^[A-Z].*[a-z.]$/.test(words))).toBe(true);
    }
  },
);
