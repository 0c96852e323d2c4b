// Values of the configuration that follow from several options.
import type { Config, DatabaseLimits } from './options.ts';
import type { OptionValues } from './read-options.ts';

/**
 * Returns the networks to which webhooks may go by default. A sandbox that listens only on this machine may send them
 * to this machine. Any other deployment may not. Otherwise callers on other machines could reach programs on this
 * machine by webhooks.
 */
export function usualNetworks(given: OptionValues): string[] {
  const local = given.PHIAL_ENVIRONMENT === 'sandbox' && /^(127\.[\d.]+|::1|localhost)$/.test(given.PHIAL_HOST);
  return local ? ['127.0.0.0/8', '::1/128'] : [];
}

export function rateLimit(given: OptionValues): Config['rateLimit'] {
  const perSecond = given.PHIAL_RATE_LIMIT_PER_SECOND ?? (given.PHIAL_ENVIRONMENT === 'production' ? 50 : 0);
  return perSecond === 0 ? null : { perSecond, burst: given.PHIAL_RATE_LIMIT_BURST ?? 2 * perSecond };
}

export const databaseLimits = (given: OptionValues, statementSeconds: number): DatabaseLimits => ({
  statementMs: statementSeconds * 1000,
  silenceMs: 5_000,
  waitMs: 5_000,
  lockMs: given.PHIAL_DATABASE_LOCK_TIMEOUT_SECONDS * 1000,
  idleMs: given.PHIAL_DATABASE_IDLE_TIMEOUT_SECONDS * 1000,
});

export const hl7Listener = (given: OptionValues): Config['hl7'] => ({
  port: given.PHIAL_HL7_PORT,
  tls:
    given.PHIAL_HL7_TLS_CERTIFICATE_FILE === null || given.PHIAL_HL7_TLS_KEY_FILE === null
      ? null
      : {
          certificateFile: given.PHIAL_HL7_TLS_CERTIFICATE_FILE,
          keyFile: given.PHIAL_HL7_TLS_KEY_FILE,
          clientCaFile: given.PHIAL_HL7_TLS_CLIENT_CA_FILE,
        },
  failedFilesDays: given.PHIAL_HL7_FAILED_FILES_DAYS,
});
