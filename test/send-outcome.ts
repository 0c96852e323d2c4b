import type { SendOutcome } from '../src/delivery/sending/send.ts';

/** The outcome of an attempt with the answer `status`, or without an answer. Below 300 it is a success. */
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
