import type { SendOutcome } from '../src/delivery/sending/send.ts';

/** What became of an attempt that was answered with `status`, or with nothing: a success below 300. */
export const outcomeOf = (status: number | null, more: Partial<SendOutcome> = {}): SendOutcome => ({
  ok: status !== null && status < 300,
  status,
  error: null,
  error_detail: null,
  duration_ms: 5,
  response_body: '',
  retry_after_seconds: null,
  gone: false,
  sent: null,
  ...more,
});
