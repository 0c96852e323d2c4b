/** SQLSTATE classes and codes of a database that is away, full, or too busy for this statement: trying again may help. */
const CLASSES = new Set(['08', '53', '57']);
const CODES = new Set([
  '55P03', // lock_timeout
  '40P01', // a deadlock, which ended this one of two transactions
  '25P03', // idle_in_transaction_session_timeout
  '25006', // a standby that became nobody's primary yet
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** pg tells of these in words only. */
const WORDS = /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout|not queryable/;

/** Whether `error` says that the database cannot be asked now, and nothing about what was asked. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return CODES.has(code) || (code.length === 5 && CLASSES.has(code.slice(0, 2)));
  return WORDS.test(error.message);
}
