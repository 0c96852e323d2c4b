import type { Middleware } from 'openapi-fetch';
import { TAKES_IDEMPOTENCY_KEY } from './keyed-operations.ts';

/** Gives each request whose operation takes an idempotency key a new one, unless the caller chose one. */
export const giveIdempotencyKeys: Middleware = {
  onRequest({ request, schemaPath }) {
    const takesKey = TAKES_IDEMPOTENCY_KEY.has(`${request.method} ${schemaPath}`);
    if (takesKey && !request.headers.has('x-idempotency-key'))
      request.headers.set('x-idempotency-key', crypto.randomUUID());
    return request;
  },
};
