import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../errors.ts';
import { SENDER } from '../../package-root.ts';
import type { Caller } from './caller.ts';

/**
 * Throws invalid_api_key for a delivery of a webhook that brings a key along, among the headers of its endpoint: what it asked for
 * here could make the next delivery, without end. The url of an endpoint does not always tell, since a service can be reached by
 * names that it does not know; these two headers no endpoint can set.
 */
export function refuseOwnDelivery({ key }: Caller, headers: IncomingHttpHeaders): void {
  if (key === null || key.kind === 'signed_link') return;
  if (!headers['user-agent']?.startsWith(SENDER) || headers['webhook-id'] === undefined) return;
  throw new AppError(
    'invalid_api_key',
    'This is a delivery of a webhook of this service: here a key in it opens nothing.',
  );
}
