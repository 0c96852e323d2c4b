import { classify } from '../../delivery/sending/send-error.ts';

/**
 * Returns the reason for which `fetch` got no response. It uses the words of webhook attempts: timeout, connection
 * refused, dns.
 */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'timeout';
  const known = classify(cause instanceof Error ? cause : (error as Error));
  if (known !== 'unknown') return known.replaceAll('_', ' ');
  return cause instanceof Error ? cause.message : message;
}
