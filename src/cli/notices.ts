import type { Config } from '../config/options.ts';

/** What an operator should know about these options before relying on them: nothing of it is wrong, all of it matters. */
export function noticesOn(config: Config, place: { embedded: boolean; dataDir: string }): string[] {
  const isProduction = config.environment === 'production';
  const notices: string[] = [];
  if (isProduction && place.embedded) {
    notices.push(
      `Production on the embedded PostgreSQL: all data is in ${place.dataDir} on this machine, one process serves it, ` +
        'and nobody copies it but you. DATABASE_URL names a server of your own.',
    );
  }
  if (isProduction && config.baseUrl.startsWith('http:')) {
    notices.push(
      `Production without a base address: links in answers lead to ${config.baseUrl}, where only this machine gets. ` +
        'PHIAL_BASE_URL is the https address that others use.',
    );
  }
  if (!isProduction && !isLoopback(config.host)) {
    notices.push(
      `Listening on ${config.host}, beyond this machine: whoever reaches the port and has a key may use the sandbox, ` +
        'and /metrics is open. Webhooks to loopback addresses are refused unless PHIAL_WEBHOOK_ALLOWED_NETWORKS lists them.',
    );
  }
  return notices;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
