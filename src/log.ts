import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

/** Keys that never reach a log line, whatever object they hang on. */
const REDACTED = [
  'authorization', 'api_key', 'key', 'secret', 'password', 'first_name', 'last_name', 'dob', 'email', 'phone_number',
  'member_id', 'address', 'body', 'patient_details', 'patient_address', 'shipping_details', 'insured', 'guarantor',
];

/** One JSON line an event; times in UTC. */
export function openLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED.flatMap((key) => [key, `*.${key}`]), remove: true },
    serializers: { err: errorWithoutData },
  });
}

/**
 * PostgreSQL quotes the offending row in `detail` and parsers quote their input in the message,
 * so of an error only what cannot carry personal data is logged: its kind, code, place and stack frames.
 */
function errorWithoutData(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table, routine } = error as Error & Record<string, unknown>;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')).slice(0, 12);
  return { type: error.name, code, constraint, table, routine, stack: frames.join('\n') };
}
