import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { sql } from 'kysely';
import { startTestApp, type Team, type TestApp } from './test-app.ts';
import { startMailServer, type MailStandIn } from './fake-mail-server.ts';

type Mailing = { app: TestApp; team: Team; server: MailStandIn; log: string[] };

/** One service with a mail server for all tests of a file, and its log. Each test gets a team, and no mail waits. */
export function eachWithMailServer(take: (mailing: Mailing) => void): void {
  let server: MailStandIn;
  let app: TestApp;
  const log: string[] = [];
  beforeAll(async () => {
    server = await startMailServer();
    const mail = { PHIAL_SMTP_URL: server.url, PHIAL_MAIL_FROM: 'phial@example.com' };
    app = await startTestApp({ ...mail, PHIAL_LOG_LEVEL: 'trace' }, { logTo: (line) => log.push(line) });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });
  beforeEach(async () => {
    const team = await app.makeTeam('Desert Health');
    server.letters.splice(0);
    log.splice(0);
    take({ app, team, server, log });
  });
  afterEach(async () => {
    server.answer(null);
    await sql`delete from mails`.execute(app.db);
  });
}
