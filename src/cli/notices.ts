import type { Config } from '../config/options.ts';

/** Returns notices about options that are valid, but that an operator should think about before production. */
export function noticesOn(config: Config, databaseServer: { embedded: boolean; dataDir: string }): string[] {
  const isProduction = config.environment === 'production';
  const notices: string[] = [];
  if (isProduction && databaseServer.embedded) {
    notices.push(
      `Production on the embedded PostgreSQL: all data is in ${databaseServer.dataDir} on this machine, one ` +
        'process serves it, ' +
        'and nobody copies it but you. DATABASE_URL can name your own server.',
    );
  }
  if (isProduction && config.baseUrl.startsWith('http:')) {
    notices.push(
      `Production without a base address: links in answers point to ${config.baseUrl}, which only this ` +
        'machine can open. ' +
        'Set PHIAL_BASE_URL to the https address that others use.',
    );
  }
  if (!isProduction && !isLoopback(config.host)) {
    notices.push(
      `Listening on ${config.host}, beyond this machine: everybody who can reach the port and has a key can ` +
        'use the sandbox, ' +
        'and /metrics is open. Webhooks to loopback addresses are refused unless ' +
        'PHIAL_WEBHOOK_ALLOWED_NETWORKS lists them.',
    );
  }
  return notices;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
