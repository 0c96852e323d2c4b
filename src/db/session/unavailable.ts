/**
 * SQLSTATE classes and codes which mean that the database is unavailable, full, or too busy for this statement. A retry
 * may help.
 */
const CLASSES = new Set(['08', '53', '57']);
const CODES = new Set([
  '55P03', // lock_timeout
  '40P01', // Deadlock. PostgreSQL ended this transaction so that the other one could continue.
  '25P03', // idle_in_transaction_session_timeout
  '25006', // A standby server that is not promoted yet.
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Messages of errors that pg reports without a code. */
const WORDS = /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout|not queryable/;

/** Returns true if `error` means that the database is unavailable now. The statement itself may be correct. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return CODES.has(code) || (code.length === 5 && CLASSES.has(code.slice(0, 2)));
  return WORDS.test(error.message);
}
