import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MailStandIn } from '../../../test/fake-mail-server.ts';
import { eachWithMailServer } from '../../../test/mailing.ts';
import { makeMember, type Member } from '../../../test/people-of-orgs.ts';
import { openSession, useLink } from '../../../test/signed-in.ts';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { dropExpired } from '../../jobs/retention.ts';

let app: TestApp;
let team: Team;
let server: MailStandIn;
let log: string[];
eachWithMailServer((each) => ({ app, team, server, log } = each));

let grace: Member;
let address: string;
let number = 0;
beforeEach(async () => {
  number += 1;
  address = `grace-${number}@example.com`;
  grace = await makeMember(app, team, { name: 'Grace', email: address });
  await sql`delete from mails`.execute(app.db); // The mail of the invite.
});
afterEach(() => sql`delete from sign_in_requests`.execute(app.db));

const ask = (email: string, on = app) => on.api<{ code: string }>('POST', '/v1/sign_in/link', { email }, { key: null });
const links = (): string[] => server.letters.map(({ text }) => /http\S+\/sign-in\/\S+/.exec(text)?.[0] ?? '');

describe('a link by mail', () => {
  test('signs the member in once, in the organisation that the mail names', async () => {
    expect((await ask(address.toUpperCase())).status).toBe(204);
    await app.runJobs();
    expect(server.letters).toMatchObject([{ to: [address], headers: { subject: 'Sign in to Desert Health' } }]);
    const [link = ''] = links();
    for (let n = 0; n < 2; n += 1) expect((await fetch(app.baseUrl + new URL(link).pathname)).status).toBe(200);
    const { shown } = await openSession(app, (await useLink(app, link)) as string);
    expect([shown.person.member_id, shown.org.id]).toEqual([grace.id, team.org_id]);
    expect(await useLink(app, link)).toBeNull();
    expect(log.filter((line) => line.includes(address) || line.includes('si_'))).toEqual([]);
  });

  test('works for 15 minutes', async () => {
    await ask(address);
    await app.runJobs();
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from expires_at - created_at)::int as seconds from sign_in_links
       where member_id = ${grace.id}`.execute(app.db);
    expect(rows).toEqual([{ seconds: 900 }]);
    await sql`update sign_in_links set expires_at = now() where member_id = ${grace.id}`.execute(app.db);
    expect(await useLink(app, links()[0] as string)).toBeNull();
  });

  test('is mailed for each organisation of the address', async () => {
    const other = await app.makeTeam('Mesa Labs');
    const again = await makeMember(app, other, { name: 'Grace H.', email: address });
    await sql`delete from mails`.execute(app.db);
    await ask(address);
    await app.runJobs();
    const people: (string | null)[] = [];
    for (const link of links()) {
      const { shown } = await openSession(app, (await useLink(app, link)) as string);
      people.push(shown.person.member_id);
    }
    expect(people.toSorted()).toEqual([grace.id, again.id].toSorted());
  });

  test('is not mailed to an address of no member, of an open invite or of a removed member', async () => {
    await team.api('POST', `/v1/org/${team.org_id}/invite`, { email: 'invited@example.com' });
    await sql`delete from mails`.execute(app.db);
    await team.api('DELETE', `/v1/org/${team.org_id}/member/${grace.id}`);
    for (const email of ['nobody@example.com', 'invited@example.com', address]) await ask(email);
    await app.runJobs();
    expect(server.letters).toEqual([]);
    const { rows } = await sql`select from sign_in_requests where handled_at is null`.execute(app.db);
    expect(rows).toEqual([]);
  });

  test('is also mailed to members from before there were hashes of addresses', async () => {
    await sql`update org_members set address_hash = null`.execute(app.db);
    await ask('nobody@example.com');
    await app.runJobs();
    const { rows } = await sql`select from org_members where address_hash is null`.execute(app.db);
    expect(rows).toEqual([]);
    await ask(address);
    await app.runJobs();
    expect(links()).toHaveLength(1);
  });

  const writeMails = (many: number, of: { is_sign_in: boolean }) =>
    sql`
      insert into mails (id, org_id, about, expires_at, is_sign_in)
      select gen_random_uuid(), ${team.org_id}, gen_random_uuid(), now(), ${of.is_sign_in}
        from generate_series(1, ${many}::int)`.execute(app.db);

  test('and the mails that the organisation writes itself do not use up the mails of each other', async () => {
    await writeMails(499, { is_sign_in: false });
    await writeMails(1999, { is_sign_in: true });
    await ask(address);
    await app.runJobs();
    expect(links()).toHaveLength(1);
    const invited = await team.api<object>('POST', `/v1/org/${team.org_id}/invite`, { email: 'ida@example.com' });
    expect([invited.status, invited.body]).toEqual([200, { status: 'invite_created' }]);
  });

  test('is not mailed if its organisation has written too many links, and the answer does not show it', async () => {
    await writeMails(2000, { is_sign_in: true });
    expect((await ask(address)).status).toBe(204);
    await app.runJobs();
    expect(server.letters).toEqual([]);
    const warnings = log.filter((line) => line.includes('a link to sign in was not mailed'));
    expect([warnings.length, warnings.some((line) => line.includes(address))]).toEqual([1, false]);
  });
});

describe('a request for a link', () => {
  test('has the same answer for every address, and does not look for members', async () => {
    const answers = await app.db.transaction().execute(async (tx) => {
      await sql`lock table org_members, orgs in access exclusive mode`.execute(tx);
      return Promise.all([ask(address), ask('nobody@example.com')]);
    });
    const [known, unknown] = answers.map(({ status, body, headers }) => [status, body, [...headers.keys()]]);
    expect(known).toEqual(unknown);
    expect(known?.[0]).toBe(204);
  });

  test('stores hashes of address and network only, for a day', async () => {
    await ask('quailbrush@example.com');
    const stored = async () =>
      (await sql<{ row: string }>`select r::text as row from sign_in_requests r`.execute(app.db)).rows;
    expect((await stored()).map(({ row }) => /quailbrush|127\.0/.test(row))).toEqual([false]);
    await sql`update sign_in_requests set created_at = now() - interval '23 hours'`.execute(app.db);
    await dropExpired(app.ctx);
    expect(await stored()).toHaveLength(1);
    await sql`update sign_in_requests set created_at = now() - interval '25 hours'`.execute(app.db);
    await dropExpired(app.ctx);
    expect(await stored()).toEqual([]);
  });

  test('is refused after three for an address within 15 minutes and ten within a day, known or not', async () => {
    for (const email of [address, 'nobody@example.com']) {
      for (let n = 0; n < 3; n += 1) expect((await ask(email)).status).toBe(204);
      const { status, body, headers } = await ask(email.toUpperCase());
      expect([status, body.code]).toEqual([429, 'rate_limited']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(890);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
      await sql`update sign_in_requests set created_at = now() - interval '2 hours'`.execute(app.db);
      for (let n = 3; n < 10; n += 3) {
        for (let m = n; m < Math.min(10, n + 3); m += 1) expect((await ask(email)).status).toBe(204);
        await sql`update sign_in_requests set created_at = now() - interval '2 hours'`.execute(app.db);
      }
      expect((await ask(email)).status).toBe(429);
    }
  });

  test('is refused after thirty from a network within an hour, for all addresses', async () => {
    for (let n = 0; n < 30; n += 1) expect((await ask(`reader-${n}@example.com`)).status).toBe(204);
    const { status, body } = await ask('reader-30@example.com');
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    await sql`update sign_in_requests set created_at = now() - interval '61 minutes'`.execute(app.db);
    expect((await ask('reader-30@example.com')).status).toBe(204);
  });

  test.each([{}, { email: 'nobody' }, { email: `${'x'.repeat(300)}@example.com` }, { email: null }])(
    'needs a mail address: %j',
    async (body) => {
      expect((await app.api('POST', '/v1/sign_in/link', body, { key: null })).status).toBe(422);
    },
  );
});

test('the ways to sign in say whether links are mailed. Without a mail server they wait in the outbox', async () => {
  const ways = (on: TestApp) => on.api<{ link_by_mail: boolean }>('GET', '/v1/sign_in', undefined, { key: null });
  expect((await ways(app)).body.link_by_mail).toBe(true);
  const mailless = await startTestApp({}, { databaseUrl: app.databaseUrl });
  try {
    expect((await ways(mailless)).body.link_by_mail).toBe(false);
    const { status, body } = await ask(address, mailless);
    expect([status, body]).toEqual([204, undefined]);
    await mailless.runJobs();
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from expires_at - created_at)::int as seconds from mails
       where content is not null`.execute(app.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(900);
  } finally {
    await mailless.close();
  }
});
