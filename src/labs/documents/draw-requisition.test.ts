import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import {
  addAccount,
  consents,
  createOrder,
  healthInsurance,
  labTestId,
  makeUser,
  orderKit,
  readOrder,
  register,
  registeredKit,
  subscribe,
  type OrderBody,
} from '../../../test/factories.ts';
import { fetchPdf, pictureOf, readBarcode, textOf, type Printed } from '../../../test/pdf.ts';
import { startEndpoint } from '../../../test/endpoint.ts';
import { signToken } from '../../privacy/signed-link.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const requisition = (id: string, key?: string): Promise<Printed> =>
  fetchPdf(app, `/v3/order/${id}/requisition/pdf`, key ?? app.team.api_key);
const codeOf = ({ bytes }: Printed): string => (JSON.parse(Buffer.from(bytes).toString()) as { code: string }).code;
/** Registers a kit before it is sent. So its order can still be cancelled. */
async function notYetSent(team: Team): Promise<OrderBody> {
  const { user_id } = await makeUser(team);
  await orderKit(team, user_id);
  return (await register(team, { user_id, sample_id: `BY-HAND-${randomUUID().slice(0, 8)}` })).body.order;
}
/** Returns the path of a link. The link itself lacks the port of the test server. */
const pathOf = (url: unknown): string => new URL(url as string).pathname;

describe('the requisition', () => {
  test('has the items of 42 CFR 493.1241(c), and a line to fill in for what is unknown', async () => {
    const order = await registeredKit(app.team, { health_insurance: healthInsurance });
    const printed = await requisition(order.id);
    expect([printed.status, printed.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    const text = (await textOf(printed)).join(' ');
    const names = (order['lab_test'] as { markers: { name: string; provider_id: string }[] }).markers;
    for (const item of [
      'Ana Ruiz',
      '1234567893',
      'Palmer, Grace',
      'Apr 12, 1988',
      'Female',
      '100 West Test Street, Phoenix, AZ 85004',
      'Dried blood spot',
      'Date collected',
      'Time collected',
      'Collected by',
      'Phial Simulated Kit Laboratory',
      'CLIA',
      'E11.9',
      'Client bill',
      'Aetna (SBX00001)',
      'XYZ123456789',
      'The insured',
      order.sample_id as string,
      order.id,
      'Terms of use, version 1.0',
      'Telehealth informed consent',
      'Notice of privacy practices',
      'Page 1 of',
      ...names.flatMap(({ name, provider_id }) => [name, provider_id]),
    ])
      expect(text).toContain(item);
  });

  test('names the account of the order', async () => {
    const lab_account_id = await addAccount(app, app.team);
    const { body } = await createOrder(app.team, {
      lab_account_id,
      order_set: { lab_test_ids: [await labTestId(app.team, 'testkit')] },
    });
    const { provider_account_id } = await app.db
      .selectFrom('lab_accounts')
      .select('provider_account_id')
      .where('id', '=', lab_account_id)
      .executeTakeFirstOrThrow();
    expect((await textOf(await requisition(body.order.id))).join(' ')).toContain(provider_account_id);
  });

  test("shows the time of a consent in the patient's zone, whatever its offset", async () => {
    const given = consents.map((consent) => ({ ...consent, timeOfConsent: '2026-01-06T01:30:00-05:00' }));
    const text = (await textOf(await requisition((await registeredKit(app.team, { consents: given })).id))).join(' ');
    expect(text).toContain('given Jan 5, 2026, 23:30 MST');
  });

  test('has the sample as Code 128 and the order as DataMatrix, as a scanner reads them', async () => {
    const order = await registeredKit(app.team);
    const picture = await pictureOf(await requisition(order.id), 1, 3);
    const sample = await readBarcode(picture, { x: 0.5, y: 0.04, width: 0.32, height: 0.075 });
    expect(sample.getText()).toBe(order.sample_id);
    const square = await readBarcode(picture, { x: 0.82, y: 0.04, width: 0.14, height: 0.095 });
    expect(square.getText()).toBe(order.id);
  });

  test('has the same bytes as long as the order is the same', async () => {
    const { id } = await registeredKit(app.team);
    expect((await requisition(id)).bytes).toEqual((await requisition(id)).bytes);
  });

  test('is refused to other teams, before the registration and after a cancellation', async () => {
    const order = await notYetSent(app.team);
    const otherTeam = await app.makeTeam();
    const foreign = await requisition(order.id, otherTeam.api_key);
    expect([foreign.status, codeOf(foreign)]).toEqual([404, 'not_found']);
    const waiting = await requisition((await orderKit(app.team)).id);
    expect([waiting.status, codeOf(waiting)]).toEqual([404, 'document_not_available']);
    await app.api('POST', `/v3/order/${order.id}/cancel`);
    expect(codeOf(await requisition(order.id))).toBe('document_not_available');
  });
});

describe('requisition_form_url', () => {
  test('opens the same document without a key, names nobody, and must not be cached', async () => {
    const order = await registeredKit(app.team);
    const url = order['requisition_form_url'] as string;
    expect(url).toMatch(/^http:\/\/localhost:\d+\/documents\/requisition\/[\w-]{119}$/);
    const opened = await fetchPdf(app, pathOf(url), null);
    expect(opened.status).toBe(200);
    expect(opened.bytes).toEqual((await requisition(order.id)).bytes);
    expect(Object.fromEntries(opened.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      'content-disposition': 'inline; filename="requisition.pdf"',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  test('is null before the requisition and after the cancellation, in events as in answers', async () => {
    const endpoint = await startEndpoint();
    const team = await app.makeTeam();
    await subscribe(team, endpoint, ['labtest.order.created', 'labtest.order.updated']);
    const { id } = await notYetSent(team);
    expect((await readOrder(team, (await orderKit(team)).id))['requisition_form_url']).toBeNull();
    await team.api('POST', `/v3/order/${id}/cancel`);
    expect((await readOrder(team, id))['requisition_form_url']).toBeNull();
    await app.deliver();
    await endpoint.close();
    const published = endpoint.received
      .map(({ body }) => body.data as unknown as OrderBody)
      .filter((order) => order.id === id)
      .toSorted((a, b) => a.events.length - b.events.length)
      .map(({ last_event, requisition_form_url }) => [last_event.status.split('.')[2], requisition_form_url !== null]);
    expect(published).toEqual([
      ['ordered', false],
      ['awaiting_registration', false],
      ['requisition_created', true],
      ['testkit_registered', true],
      ['cancelled', false],
    ]);
  });

  test('stays the same within an hour, and changes after it', async () => {
    const { id } = await registeredKit(app.team);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T10:01:00Z') });
    try {
      const url = async (): Promise<unknown> => (await readOrder(app.team, id))['requisition_form_url'];
      const first = await url();
      vi.setSystemTime(Date.parse('2026-03-01T10:59:59Z'));
      expect(await url()).toBe(first);
      vi.setSystemTime(Date.parse('2026-03-01T11:00:00Z'));
      expect(await url()).not.toBe(first);
    } finally {
      vi.useRealTimers();
    }
  });

  test("gives the same refusal for a cancelled or unknown order, another team's, and a deleted user's", async () => {
    const open = async (path: string): Promise<unknown> => {
      const { status, bytes } = await fetchPdf(app, path, null);
      const { request_id: _, ...body } = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
      return { status, ...body };
    };
    const refusal = {
      status: 403,
      code: 'link_refused',
      detail: 'This link is not valid or has expired. Ask for a new one where you got it.',
    };
    const linkTo = (id: string, team_id = app.team.id): string =>
      `/documents/requisition/${signToken(app.ctx.cipher, 'requisition', {
        team_id,
        id,
        expires: Math.floor(Date.now() / 1000) + 60,
      })}`;
    const cancelled = await notYetSent(app.team);
    await app.api('POST', `/v3/order/${cancelled.id}/cancel`);
    expect(await open(pathOf(cancelled['requisition_form_url']))).toEqual(refusal);
    expect(await open(linkTo(randomUUID()))).toEqual(refusal);
    const deleted = await registeredKit(app.team);
    expect(await open(linkTo(deleted.id, (await app.makeTeam()).id))).toEqual(refusal);
    await app.api('DELETE', `/v2/user/${deleted.user_id}`);
    expect(await open(pathOf(deleted['requisition_form_url']))).toEqual(refusal);
    expect(await open('/documents/requisition/x')).toEqual(refusal);
  });
});
