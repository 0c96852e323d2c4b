import type { Config } from '../../config/options.ts';
import { MailRefused, openMailServer } from '../../outbound/open-mail-server.ts';
import { reasonOf } from '../listen/reason.ts';
import { findingsOf, type Finding } from '../finding.ts';

const ANSWERS_WITHIN_MS = 5_000;

/** Asks the service by its public address, as customers do. */
export async function checkService(baseUrl: string): Promise<Finding> {
  const { fine, warning } = findingsOf('service');
  let status: number;
  try {
    ({ status } = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }));
  } catch (error) {
    return warning(
      `does not answer at ${baseUrl}: ${reasonOf(error)}`,
      'Start it. If it runs, check PHIAL_BASE_URL, the proxy in front of it and its certificate.',
    );
  }
  if (status === 200) return fine(`is ready at ${baseUrl}`);
  return warning(
    `answers ${status} at ${baseUrl}/readyz`,
    status === 503
      ? 'It starts, stops, or has no database. The answer and its log say why.'
      : 'Something else answers there. Check PHIAL_BASE_URL and the proxy.',
  );
}

/** Logs in at the mail server and sends nothing. */
export async function checkMail({ mail, environment }: Config): Promise<Finding> {
  const { fine, skipped, problem } = findingsOf('mail');
  if (mail === null) return skipped('no PHIAL_SMTP_URL: mail waits in the outbox');
  const server = openMailServer({ url: mail.url.reveal(), from: mail.from, needsTls: environment === 'production' });
  try {
    await server.verify();
    return fine('the mail server accepts the login');
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    return problem(`the mail server refuses: ${error.message}`, 'Check PHIAL_SMTP_URL, its port and its password.');
  } finally {
    server.close();
  }
}
