import type { Readable } from 'node:stream';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError, notFound } from '../../errors.ts';
import { HookBodies } from '../../hook-bodies.ts';
import { COURIER_SLUGS } from '../orders/testkit/couriers.ts';
import { storeScans } from './store-scans.ts';
import { trackerOf } from './tracker-of.ts';
import { isSigned, SIGNATURE_HEADER } from './carrier-signature.ts';

/** EasyPost sends parcels of every courier to the URL with this name. Each event names its courier. */
const OF_ANY_COURIER = 'easypost';

/** The bodies that this process is reading. Each has up to 256 KiB. */
const bodies = new HookBodies();

type CarrierRequest = { headers: Readonly<Record<string, string | null>>; body: Readable };

/**
 * Stores the scans of a parcel and responds. A job moves the order afterwards. The response is the same for known and
 * unknown parcels, so it reveals no tracking number.
 * Throws not_found if the operator has not configured this carrier, signature_refused, and not_ready if this process is
 * already reading too many bodies. If the signature is missing, it throws before it reads the body.
 */
export async function receiveCarrierUpdate(
  ctx: Ctx,
  carrier: string,
  sent: CarrierRequest,
): Promise<{ received: true }> {
  const secrets = ctx.config.carrierSecrets;
  const isAddress = carrier === OF_ANY_COURIER || COURIER_SLUGS.includes(carrier);
  if (secrets.length === 0 || !isAddress) throw notFound('Hook of this carrier');
  const count = (outcome: 'kept' | 'nobody_told' | 'refused') =>
    ctx.count?.({ what: 'hook', provider: carrier, outcome });
  const refuse = (): never => {
    count('refused');
    throw new AppError(
      'signature_refused',
      'The signature is missing or wrong, so the carrier may not have sent this.',
    );
  };
  const signature = sent.headers[SIGNATURE_HEADER] ?? null;
  if (signature === null) return refuse();
  return bodies.take(ctx, sent.body, async (body) => {
    if (!isSigned(secrets, body, signature)) refuse();
    const tracker = trackerOf(body);
    // EasyPost sends each event to every URL that the operator entered. The URL of a courier accepts only events of
    // that courier.
    const isForHere = tracker !== null && (carrier === OF_ANY_COURIER || tracker.courier === carrier);
    const isKnown = isForHere && (await inTransaction(acrossTeams(ctx), (tx) => storeScans(tx, tracker)));
    count(isKnown ? 'kept' : 'nobody_told');
    return { received: true };
  });
}
