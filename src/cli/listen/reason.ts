import { classify } from '../../delivery/sending/send-error.ts';

/** Why `fetch` got no answer, in the words that the attempts of a webhook have for it: timeout, connection refused, dns. */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'timeout';
  const known = classify(cause instanceof Error ? cause : (error as Error));
  if (known !== 'unknown') return known.replaceAll('_', ' ');
  return cause instanceof Error ? cause.message : message;
}
