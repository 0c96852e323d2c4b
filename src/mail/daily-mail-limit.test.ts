import { expect, test } from 'vitest';
import { sql } from 'kysely';
import type { Team, TestApp } from '../../test/test-app.ts';
import type { MailStandIn } from '../../test/fake-mail-server.ts';
import { eachWithMailServer } from '../../test/mailing.ts';
import { invitePath } from '../../test/people-of-orgs.ts';
import { dropExpired } from './erase.ts';
import { mailsOut } from './send-mails.ts';

type Refusal = { code: string; limit?: number };

let server: MailStandIn;
let app: TestApp;
let team: Team;
let log: string[];
eachWithMailServer((each) => ({ app, team, server, log } = each));

/** Sends the DNS instructions of a domain to each address, one mail each. */
async function instruct(by: Team, to: string[]): Promise<void> {
  const { body } = await by.api<{ id: string }>('POST', `/v1/org/${by.org_id}/domain`, {
    domain: 'clinic.example.com',
  });
  for (const to_email of to) {
    const path = `/v1/org/${by.org_id}/domain/${body.id}/send_domain_instructions`;
    expect((await by.api<object>('POST', path, { to_email })).status).toBe(200);
  }
}
const send = async (): Promise<void> => {
  await mailsOut.run(app.ctx, {});
};
const times = (count: number, email: string): string[] => Array.from({ length: count }, () => email);
const yesterday = () =>
  sql`update mails set created_at = created_at - interval '1 day', sent_at = sent_at - interval '1 day'`.execute(
    app.db,
  );

test('an organisation may write ten mails a day to one address, whatever its spelling and their purpose', async () => {
  await instruct(team, [...times(4, 'grace@example.com'), ...times(4, 'Grace@Example.com'), 'grace+dns@example.com']);
  const ask = (email: string) => team.api<Refusal>('POST', invitePath(team), { email });
  expect((await ask('grace@example.com')).status).toBe(200);
  for (const email of ['grace@example.com', 'GRACE+more@example.com']) {
    const { status, body, headers } = await ask(email);
    expect([status, body]).toMatchObject([429, { code: 'too_many_mails', limit: 10 }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
  }
  expect((await ask('grace@example.org')).status).toBe(200);
  const other = await app.makeTeam();
  expect((await other.api('POST', invitePath(other), { email: 'grace@example.com' })).status).toBe(200);
  await yesterday();
  expect((await ask('grace@example.com')).status).toBe(200);
});

test('all organisations together may write thirty mails a day to one address, and the next mail waits', async () => {
  for (const by of [team, await app.makeTeam(), await app.makeTeam()]) {
    await instruct(by, times(10, 'ada@example.com'));
    await send();
  }
  expect(server.letters).toHaveLength(30);
  const last = await app.makeTeam();
  const asked = await last.api<{ status: string }>('POST', invitePath(last), { email: 'ADA@example.com' });
  expect(asked.body).toEqual({ status: 'invite_created' });
  await instruct(last, ['grace@example.com']);
  await send();
  expect(server.letters.slice(30).map(({ to }) => to[0])).toEqual(['grace@example.com']);
  const { rows } = await sql<{ attempts: number; waits: boolean }>`
    select attempts, next_attempt_at > now() + interval '23 hours' as waits from mails
        where content is not null`.execute(app.db);
  expect(rows).toEqual([{ attempts: 0, waits: true }]);
  const warnings = log.filter((line) => line.includes('a mail waits'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(last.org_id);
  expect(log.filter((line) => /ada@/i.test(line))).toEqual([]);
  await yesterday();
  await sql`update mails set next_attempt_at = now()`.execute(app.db);
  await send();
  expect(server.letters.slice(31).map(({ to }) => to[0])).toEqual(['ADA@example.com']);
});

test('the hash of the reader is erased a day after the mail was sent, and stays while the mail waits', async () => {
  await instruct(team, ['grace@example.com']);
  await send();
  await instruct(await app.makeTeam(), ['ada@example.com']);
  const known = async () => {
    await dropExpired({ ...app.ctx, db: app.db });
    const { rows } = await sql<{ known: boolean }>`
      select reader_hash is not null as known from mails order by id`.execute(app.db);
    return rows.map(({ known }) => known);
  };
  expect(await known()).toEqual([true, true]);
  await yesterday();
  expect(await known()).toEqual([false, true]);
});
