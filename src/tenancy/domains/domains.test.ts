import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { startMailServer } from '../../../test/fake-mail-server.ts';
import { startNameServer, type NameServer } from '../../../test/name-server.ts';

type Domain = {
  id: string;
  domain: string;
  is_verified: boolean;
  created_on: string;
  dns_records: { type: string; name: string; value: string }[];
};
type Refusal = { code: string; limit?: number };

let names: NameServer;
let app: TestApp;
let team: Team;
beforeAll(async () => {
  names = await startNameServer();
  app = await startTestApp({ PHIAL_DOMAIN_NAME_SERVERS: names.address, PHIAL_DOMAINS_PER_ORG: '3' });
});
afterAll(async () => {
  await app.close();
  names.close();
});
beforeEach(async () => {
  team = await app.makeTeam('Desert Health');
  names.texts.clear();
  names.asked.splice(0);
  names.silent = false;
});

const path = (id = '', more = ''): string => `/v1/org/${team.org_id}/domain${id && `/${id}`}${more}`;
const add = async (domain: string) => (await team.api<Domain>('POST', path(), { domain })).body;
const read = async ({ id }: Domain) => (await team.api<Domain>('GET', path(id))).body;
const verify = async ({ id }: Domain) => (await team.api<{ status: string }>('POST', path(id, '/verify'))).body.status;
const recordOf = ({ dns_records: [record] }: Domain) => record as Domain['dns_records'][0];

test('a domain is normalised, listed, read with its DNS record, and deleted', async () => {
  const made = await add(' Clinic.Example.COM. ');
  expect(made).toEqual({
    id: expect.any(String),
    domain: 'clinic.example.com',
    is_verified: false,
    created_on: expect.any(String),
    dns_records: [
      {
        type: 'TXT',
        name: '_phial-verification.clinic.example.com',
        value: expect.stringMatching(/^phial-verification=[0-9a-f]{32}$/),
      },
    ],
  });
  const foreign = await add('bücher.example.com');
  expect(foreign.domain).toBe('xn--bcher-kva.example.com');
  expect((await team.api<{ data: Domain[] }>('GET', path())).body.data).toEqual([made, foreign]);
  expect(await read(made)).toEqual(made);
  expect((await team.api('DELETE', path(made.id))).body).toEqual({ success: true });
  for (const [method, more] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/verify'],
  ] as const)
    expect((await team.api(method, path(made.id, more))).status).toBe(404);
  expect(recordOf(await add('clinic.example.com')).value).not.toBe(recordOf(made).value);
});

test('an organisation can have a domain once, up to a limit, and another organisation can have the same', async () => {
  await add('example.com');
  const again = await team.api<Refusal>('POST', path(), { domain: 'EXAMPLE.com' });
  expect([again.status, again.body.code]).toEqual([409, 'domain_exists']);
  await add('one.example.com');
  await add('two.example.com');
  const more = await team.api<Refusal>('POST', path(), { domain: 'three.example.com' });
  expect([more.status, more.body]).toMatchObject([403, { code: 'limit_reached', limit: 3 }]);
  team = await app.makeTeam();
  expect((await team.api('POST', path(), { domain: 'example.com' })).status).toBe(201);
});

test.each([
  '',
  'com',
  'localhost',
  '192.0.2.7',
  '0x7f.1',
  '-a.example.com',
  'a_b.example.com',
  'a b.example.com',
  'https://example.com',
  'exa\r\nmple.com',
  'exa\tmple.com',
  'example.com/path',
  'example.com\\path',
  'example.com?query',
  'example.com#',
  'phial@example.com',
  'example.com:80',
  '%65xample.com',
  'exa\u00admple.com',
  'exa\ufe0fmple.com',
  'exam⑵ple.com',
  `${'a'.repeat(64)}.example.com`,
  `${'a.'.repeat(126)}com`,
])('%j is not a domain', async (domain) => {
  const { status, body } = await team.api<{ detail: { loc: string[] }[] }>('POST', path(), { domain });
  expect([status, body.detail[0]?.loc]).toEqual([422, ['body', 'domain']]);
});

describe('a domain is verified', () => {
  test('when its DNS has the record, among others and in several strings, and it stays verified', async () => {
    const domain = await add('clinic.example.com');
    const { name, value } = recordOf(domain);
    expect([await verify(domain), names.asked]).toEqual(['pending', [name]]);
    names.texts.set(name, ['v=spf1 -all', `${value}x`, value.slice(1)]);
    expect([await verify(domain), (await read(domain)).is_verified]).toEqual(['pending', false]);
    names.texts.set(name, ['x'.repeat(300), value]);
    expect([await verify(domain), (await read(domain)).is_verified]).toEqual(['verified', true]);
    names.texts.clear();
    const before = names.asked.length;
    expect([await verify(domain), names.asked.length]).toEqual(['verified', before]);
  });

  test('by the record of its own organisation only', async () => {
    const theirs = await add('clinic.example.com');
    names.texts.set(recordOf(theirs).name, [recordOf(theirs).value]);
    const other = team;
    team = await app.makeTeam();
    const ours = await add('clinic.example.com');
    expect(await verify(ours)).toBe('pending');
    expect((await team.api('POST', path(theirs.id, '/verify'))).status).toBe(404);
    team = other;
    expect(await verify(theirs)).toBe('verified');
  });

  test('is pending when no name server answers, and other requests of the organisation run meanwhile', async () => {
    names.silent = true;
    const domain = await add('clinic.example.com');
    const waiting = Promise.all(Array.from({ length: 12 }, () => verify(domain)));
    await expect.poll(() => names.asked.length).toBeGreaterThan(0);
    expect((await read(domain)).is_verified).toBe(false);
    names.silent = false; // The name server now answers the second try of each query.
    expect(new Set(await waiting)).toEqual(new Set(['pending']));
  });
});

describe('instructions', () => {
  const send = (id: string, to_email = 'dns@example.com') =>
    team.api<{ sent: boolean; sendgrid_message_id: null }>('POST', path(id, '/send_domain_instructions'), { to_email });

  test('wait when the deployment has no mail server, and the answer reports it', async () => {
    const { id } = await add('clinic.example.com');
    expect((await send(id)).body).toEqual({ sent: false, sendgrid_message_id: null });
    expect((await send(randomUUID())).status).toBe(404);
  });

  test('are sent for each request, and not after the domain is deleted', async () => {
    const mail = await startMailServer();
    const sending = await startTestApp(
      { PHIAL_SMTP_URL: mail.url, PHIAL_MAIL_FROM: 'phial@example.com' },
      { databaseUrl: app.databaseUrl },
    );
    try {
      const domain = await add('own.example.com');
      const gone = await add('gone.example.com');
      const answer = await fetch(`${sending.baseUrl}${path(domain.id, '/send_domain_instructions')}`, {
        method: 'POST',
        headers: { 'x-management-key': team.management_key, 'content-type': 'application/json' },
        body: '{"to_email":"dns@example.com"}',
      });
      expect(await answer.json()).toEqual({ sent: true, sendgrid_message_id: null });
      await send(domain.id, 'second@example.com');
      await send(gone.id, 'late@example.com');
      await team.api('DELETE', path(gone.id));
      await sending.runJobs();
      const letters = mail.letters.filter(({ text }) => text.includes(domain.domain) || text.includes(gone.domain));
      expect(letters.map(({ to }) => to[0]).toSorted()).toEqual(['dns@example.com', 'second@example.com']);
      for (const words of ['Desert Health asks you', recordOf(domain).name, recordOf(domain).value])
        expect(letters[0]?.text).toContain(words);
    } finally {
      await sending.close();
      await mail.close();
    }
  });
});
