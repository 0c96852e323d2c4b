import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../errors.ts';
import { SENDER } from '../../package-root.ts';
import type { Caller } from './caller.ts';

/**
 * Throws invalid_api_key if the request is one of our own webhook deliveries, with an API key in the headers of its
 * endpoint. Such a request could publish an event, whose delivery would send the next request, without end. We cannot
 * find this by the URL of the endpoint alone, because our service may have host names that it does not know. A customer
 * cannot configure these two headers for an endpoint.
 */
export function refuseOwnDelivery({ key }: Caller, headers: IncomingHttpHeaders): void {
  if (key === null || key.kind === 'signed_link') return;
  if (!headers['user-agent']?.startsWith(SENDER) || headers['webhook-id'] === undefined) return;
  throw new AppError(
    'invalid_api_key',
    'This is a webhook delivery of this service. A key in its headers is not accepted here.',
  );
}
