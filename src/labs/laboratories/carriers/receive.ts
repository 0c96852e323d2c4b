import type { Readable } from 'node:stream';
import type { Ctx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { HookBodies } from '../../../hook-bodies.ts';
import { COURIER_SLUGS } from '../../orders/testkit/couriers.ts';
import { keepScans } from './keep-scans.ts';
import { trackerOf } from './tracker-of.ts';
import { isSigned, SIGNATURE_HEADER } from './signature.ts';

/** The address for parcels of every courier, whose name stands in each event. */
const OF_ANY_COURIER = 'easypost';

/** Each of up to 256 KiB. */
const bodies = new HookBodies();

type Sent = { headers: Readonly<Record<string, string | null>>; body: Readable };

/**
 * Keeps what a carrier tells of a parcel and answers; orders follow afterwards. The answer is the same whether anybody waits
 * for the parcel or not. Throws not_found where carriers tell nothing here, signature_refused, before it reads the body
 * where nothing is to show who has sent it, and not_ready where too many are being read.
 */
export async function receiveCarrierNews(ctx: Ctx, carrier: string, sent: Sent): Promise<{ received: true }> {
  const secrets = ctx.config.carrierSecrets;
  const isAddress = carrier === OF_ANY_COURIER || COURIER_SLUGS.includes(carrier);
  if (secrets.length === 0 || !isAddress) throw notFound('Hook of this carrier');
  const count = (outcome: 'kept' | 'nobody_told' | 'refused') =>
    ctx.count?.({ what: 'hook', provider: carrier, outcome });
  const refuse = (): never => {
    count('refused');
    throw new AppError('signature_refused', 'Nothing shows that the carrier has sent this.');
  };
  const signature = sent.headers[SIGNATURE_HEADER] ?? null;
  if (signature === null) return refuse();
  return bodies.take(ctx, sent.body, async (body) => {
    if (!isSigned(secrets, body, signature)) refuse();
    const tracker = trackerOf(body);
    // One event goes to all addresses that an operator has given: each takes what it is for.
    const isForHere = tracker !== null && (carrier === OF_ANY_COURIER || tracker.courier === carrier);
    const isKnown = isForHere && (await inTransaction(acrossTeams(ctx), (tx) => keepScans(tx, tracker)));
    count(isKnown ? 'kept' : 'nobody_told');
    return { received: true };
  });
}
