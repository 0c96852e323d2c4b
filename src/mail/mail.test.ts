// Invites write mails, so these tests use invites.
import { describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import type { MailStandIn } from '../../test/fake-mail-server.ts';
import { eachWithMailServer } from '../../test/mailing.ts';
import { accept, invite, invitePath, memberPath } from '../../test/people-of-orgs.ts';
import { findTraces } from '../../test/find-traces.ts';
import { dropExpired } from './erase.ts';
import { mailsOut } from './send-mails.ts';

let server: MailStandIn;
let app: TestApp;
let team: Team;
let log: string[];
eachWithMailServer((each) => ({ app, team, server, log } = each));

const due = () => sql`update mails set next_attempt_at = now()`.execute(app.db);
const send = async (): Promise<void> => {
  await due();
  await mailsOut.run(app.ctx, {});
};
const mails = () =>
  app.db.selectFrom('mails').select(['org_id', 'content', 'attempts', 'sent_at']).orderBy('id').execute();

test('an invite is sent in the background, with a link by which its reader becomes a member', async () => {
  await invite(team, 'grace@example.com');
  await app.runJobs();
  expect(server.letters).toHaveLength(1);
  const [letter] = server.letters;
  expect(letter).toMatchObject({
    from: 'phial@example.com',
    to: ['grace@example.com'],
    headers: { subject: 'Desert Health invites you', 'auto-submitted': 'auto-generated' },
  });
  const [link = ''] = /http\S+/.exec(letter?.text ?? '') ?? [];
  expect((await accept(app, link, 'Grace Hopper')).status).toBe(200);
  const { body } = await team.api<{ members: { name: string }[] }>('GET', memberPath(team));
  expect(body.members.map(({ name }) => name)).toEqual(['Grace Hopper']);
  expect(await mails()).toMatchObject([{ content: null, attempts: 1, sent_at: expect.any(String) }]);
  expect(log.filter((line) => line.includes('grace@') || line.includes(link))).toEqual([]);
});

test('a mail that waits is sealed, and is withdrawn when its invite is deleted', async () => {
  const { id } = await invite(team, 'quailbrush@example.com');
  expect(await findTraces(app, ['quailbrush'], 'stored')).toEqual([]);
  expect(await findTraces(app, ['quailbrush'])).toEqual(['mails.content', 'org_invites.email']);
  await team.api('DELETE', invitePath(team, id));
  expect(await findTraces(app, ['quailbrush'])).toEqual([]);
  await send();
  expect(server.letters).toEqual([]);
});

test('an invite that is sent again before its first mail was sent causes one mail', async () => {
  await invite(team, 'grace@example.com');
  await invite(team, 'grace@example.com');
  await send();
  expect(server.letters).toHaveLength(1);
});

describe('a mail server', () => {
  test('that refuses one reader for good gets the other letters, and that letter never again', async () => {
    server.answer((command) => (/RCPT.*nobody@/.test(command) ? '550 nobody@example.com is unknown' : null));
    await invite(team, 'nobody@example.com');
    await invite(team, 'grace@example.com');
    await send();
    expect(server.letters.map(({ to }) => to)).toEqual([['grace@example.com']]);
    expect((await mails()).map(({ content, sent_at }) => [content, sent_at !== null])).toEqual([
      [null, false],
      [null, true],
    ]);
    const warnings = log.filter((line) => line.includes('a mail was not sent'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('EENVELOPE 550');
    expect(log.filter((line) => /nobody@|unknown/.test(line))).toEqual([]);
  });

  test('that refuses a letter for now gets it again later, and not before', async () => {
    server.answer((command) => (/RCPT/.test(command) ? '450 Later' : null));
    await invite(team, 'grace@example.com');
    await send();
    expect(await mails()).toMatchObject([{ content: expect.any(Buffer), attempts: 1, sent_at: null }]);
    server.answer(null);
    await mailsOut.run(app.ctx, {});
    expect(server.letters).toEqual([]);
    await send();
    expect(server.letters).toHaveLength(1);
  });

  test('that refuses us gets one attempt, and the other mails of the round use up none', async () => {
    server.answer((command) => (/^EHLO|^HELO/i.test(command) ? '554 Go away' : null));
    const other = await app.makeTeam('Mesa Labs');
    await invite(team, 'grace@example.com');
    await invite(other, 'ada@example.com');
    await send();
    expect((await mails()).map(({ attempts }) => attempts).toSorted()).toEqual([0, 1]);
  });

  test('that hangs up on the readers of one organisation gets the letters of the others in the next job', async () => {
    server.answer((command) => (/RCPT.*tarpit/.test(command) ? '' : null));
    const other = await app.makeTeam('Mesa Labs');
    for (const n of [1, 2, 3]) await invite(team, `tarpit${n}@example.com`);
    await invite(other, 'ada@example.com');
    await send();
    await mailsOut.run(app.ctx, {});
    expect(server.letters.map(({ to }) => to[0])).toEqual(['ada@example.com']);
    expect((await mails()).map(({ attempts }) => attempts)).toEqual([1, 0, 0, 1]);
  });

  test('gets all other letters when one cannot be opened', async () => {
    const other = await app.makeTeam('Mesa Labs');
    await invite(team, 'grace@example.com');
    await invite(other, 'ada@example.com');
    await sql`update mails set content = '\\x00' where org_id = ${team.org_id}`.execute(app.db);
    await send();
    expect(server.letters.map(({ to }) => to[0])).toEqual(['ada@example.com']);
    expect(log.filter((line) => line.includes('UNREADABLE'))).toHaveLength(1);
  });

  test('gets one letter of each organisation before a second of any', async () => {
    const other = await app.makeTeam('Mesa Labs');
    for (const n of [1, 2, 3]) await invite(team, `person${n}@example.com`);
    await invite(other, 'ada@example.com');
    await send();
    const order = server.letters.map(({ to }) => to[0]);
    expect(order).toHaveLength(4);
    expect(order.indexOf('ada@example.com')).toBeLessThan(2);
  });
});

test('a mail whose link has expired is not sent, and its sealed content is erased', async () => {
  await invite(team, 'grace@example.com');
  await sql`update mails set expires_at = now()`.execute(app.db);
  await send();
  expect(server.letters).toEqual([]);
  await dropExpired({ ...app.ctx, db: app.db });
  expect(await mails()).toMatchObject([{ content: null, sent_at: null }]);
  await sql`update mails set created_at = now() - interval '31 days'`.execute(app.db);
  await dropExpired({ ...app.ctx, db: app.db });
  expect(await mails()).toEqual([]);
});

test('an organisation that has written its mails of the day is refused until the next day', async () => {
  await sql`
    insert into mails (id, org_id, about, expires_at) select gen_random_uuid(), ${team.org_id}, gen_random_uuid(), now()
      from generate_series(1, 500)`.execute(app.db);
  const { status, body } = await team.api<{ code: string; limit: number }>('POST', invitePath(team), {
    email: 'grace@example.com',
  });
  expect([status, body]).toMatchObject([403, { code: 'limit_reached', limit: 500 }]);
  const other = await app.makeTeam();
  expect((await other.api('POST', invitePath(other), { email: 'grace@example.com' })).status).toBe(200);
});

test('mails wait without a mail server, and are sent once there is one', async () => {
  const without = await startTestApp({}, { databaseUrl: app.databaseUrl });
  try {
    await invite(team, 'grace@example.com');
    await due();
    await mailsOut.run(without.ctx, {});
    expect(await mails()).toMatchObject([{ attempts: 0, sent_at: null }]);
    await send();
    expect(server.letters).toHaveLength(1);
  } finally {
    await without.close();
  }
});
