import type { Config } from '../../config/options.ts';
import { MailRefused, openMailServer } from '../../outbound/open-mail-server.ts';
import { reasonOf } from '../listen/reason.ts';
import { findingsOf, type Finding } from '../finding.ts';

const ANSWERS_WITHIN_MS = 5_000;

/** Asks the service by its public address, as customers do. */
export async function checkService(baseUrl: string): Promise<Finding> {
  const { fine, warning, problem } = findingsOf('service');
  let status: number;
  let body: string;
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    status = response.status;
    body = await response.text();
  } catch (error) {
    return warning(
      `does not answer at ${baseUrl}: ${reasonOf(error)}`,
      'Start it. If it runs, check PHIAL_BASE_URL, the proxy in front of it and its certificate.',
    );
  }
  if (status === 200) return fine(`is ready at ${baseUrl}`);
  const found = `answers ${status} at ${baseUrl}/readyz`;
  if (status !== 503) return warning(found, 'Something else answers there. Check PHIAL_BASE_URL and the proxy.');
  const reason = reasonOfRefusal(body);
  return problem(
    reason === null ? found : `${found}: ${reason}`,
    'It starts, stops, or cannot use its database. Its log says more.',
  );
}

const MAX_REASON_CHARACTERS = 300;

/** Returns the sentence of a refusal, or null if a proxy answered. */
function reasonOfRefusal(body: string): string | null {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === 'string' ? detail.slice(0, MAX_REASON_CHARACTERS) : null;
  } catch {
    return null;
  }
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
