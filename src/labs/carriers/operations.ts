import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { byteStream } from '../../operation/media.ts';
import { WordFilter } from '../../wire/schema.ts';
import { receiveCarrierUpdate } from './receive-carrier-update.ts';
import { SIGNATURE_HEADER } from './carrier-signature.ts';

/** The largest accepted body. An event contains the complete history of its parcel. */
const MAX_BYTES = 256 * 1024;

export const carrierOperations: Operation[] = [
  operation({
    id: 'receive_carrier_news',
    method: 'POST',
    path: '/hooks/carrier/{carrier}',
    tag: 'hooks',
    auth: 'none',
    params: Type.Object({
      carrier: WordFilter({ description: 'usps, ups, fedex, dhl or ontrac. Use easypost for all of them.' }),
    }),
    headers: [SIGNATURE_HEADER],
    body: byteStream(['application/json'], MAX_BYTES),
    response: Type.Object({ received: Type.Boolean({ description: 'Always true.' }) }),
    refusals: ['not_found', 'signature_refused'],
    summary: 'Receive tracking updates of a carrier',
    description:
      'The carrier, or EasyPost for it, calls this operation with its tracker events. X-Hmac-Signature is ' +
      '`hmac-sha256-hex=` and the HMAC-SHA256 of the body with the secret that the operator agreed on. `carrier` is ' +
      'usps, ups, fedex, dhl or ontrac, or easypost for all of them. The scans change the statuses of kits. Late, ' +
      'repeated and unordered scans never move a kit backwards, and scans change nothing once the laboratory has ' +
      'received the kit. The response is the same for known and unknown parcels.',
    handle: (
      ctx,
      {
        params: { carrier },
        headers,
        body,
      }: {
        params: { carrier: string };
        headers: Record<string, string | null>;
        body: Readable;
      },
    ) => receiveCarrierUpdate(ctx, carrier, { headers, body }),
  }),
];
