import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../errors.ts';
import { SENDER } from '../../package-root.ts';
import type { Caller } from './caller.ts';

/**
 * Throws invalid_api_key if the request is one of our own webhook deliveries. We get one if a customer configures our
 * own URL and an API key for an endpoint. The request could publish an event, the event would cause the next delivery,
 * and so on without end. We cannot recognise our own URL, because our service may have host names that it does not
 * know. We recognise the request by two headers that a customer cannot configure for an endpoint.
 */
export function refuseOwnDelivery({ key }: Caller, headers: IncomingHttpHeaders): void {
  if (key === null || key.kind === 'signed_link') return;
  if (!headers['user-agent']?.startsWith(SENDER) || headers['webhook-id'] === undefined) return;
  throw new AppError(
    'invalid_api_key',
    'This is a webhook delivery of this service. A key in its headers is not accepted here.',
  );
}
