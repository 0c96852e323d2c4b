import { pino, type Logger } from 'pino';
import { standardOutput } from './log-lines.ts';

export type { Logger } from 'pino';

/** Keys that never appear in a log line, neither at its top level nor one level below. */
const REDACTED = new Set([
  'authorization',
  'api_key',
  'key',
  'secret',
  'password',
  'first_name',
  'last_name',
  'dob',
  'email',
  'phone_number',
  'member_id',
  'address',
  'body',
  'patient_details',
  'patient_address',
  'shipping_details',
  'insured',
  'guarantor',
]);

/** Opens a log with one JSON line per entry and times in UTC. Without `destination` it writes to standard output. */
export function openLog(level: string, destination?: { write: (line: string) => void }): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Pino's own redaction of these paths takes 47 µs per line, which is a third of the time of a request. Ours takes
      // 1 µs.
      formatters: { log: (line) => withoutRedacted(line, 1) },
      serializers: { err: errorWithoutData },
    },
    destination ?? standardOutput(),
  );
}

function withoutRedacted(line: Record<string, unknown>, deeper: number): Record<string, unknown> {
  const retained: Record<string, unknown> = {};
  for (const key of Object.keys(line)) {
    if (REDACTED.has(key)) continue;
    const value = line[key];
    const nested = deeper > 0 && typeof value === 'object' && value !== null && !(value instanceof Error);
    retained[key] = nested ? withoutRedacted(value as Record<string, unknown>, deeper - 1) : value;
  }
  return retained;
}

/**
 * Returns the parts of an error that cannot contain personal data: its kind, code, location and stack frames.
 * PostgreSQL quotes the row in `detail`, and parsers quote their input in the message, so we log neither.
 */
function errorWithoutData(error: unknown): Record<string, unknown> {
  if (error === undefined || error === null) return {};
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table, routine, key_version } = error as Error & Record<string, unknown>;
  return { type: error.name, code, constraint, table, routine, key_version, stack: framesOf(error).join('\n') };
}

const MAX_FRAMES = 12;
/**
 * Matches a stack frame with a location in a file. A line of an error message can look like a stack frame, but does not
 * match.
 */
const FRAME = /^ {4}at [^'"`]*\(?(?:file:\/\/|node:|\/)[^'"`]*:\d+:\d+\)?$/;

/** Returns the frames of the stack. The stack begins with the message, which we omit. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  const below = start === -1 ? stack : stack.slice(start + message.length);
  return below
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES);
}

/** Returns the kind and code of an error. These cannot contain personal data. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return `thrown ${typeof error}`;
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? `${error.name} ${code}` : error.name;
}
