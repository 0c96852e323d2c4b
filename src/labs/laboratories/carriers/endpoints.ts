import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../../http/endpoint.ts';
import { byteStream } from '../../../http/media.ts';
import { WordFilter } from '../../../wire/schema.ts';
import { receiveCarrierNews } from './receive.ts';
import { SIGNATURE_HEADER } from './signature.ts';

/** An event has the whole history of its parcel. */
const MOST_BYTES = 256 * 1024;

export const carrierEndpoints: Endpoint[] = [
  endpoint({
    id: 'receive_carrier_news',
    method: 'POST',
    path: '/hooks/carrier/{carrier}',
    tag: 'hooks',
    auth: 'none',
    params: Type.Object({
      carrier: WordFilter({ description: 'usps, ups, fedex, dhl or ontrac; easypost for all of them.' }),
    }),
    headers: [SIGNATURE_HEADER],
    body: byteStream(['application/json'], MOST_BYTES),
    response: Type.Object({ received: Type.Boolean({ description: 'Always true.' }) }),
    refusals: ['not_found', 'signature_refused'],
    summary: 'Take what a carrier tells of a parcel',
    description:
      'Called by the carrier, or by EasyPost for it, with its events of trackers. X-Hmac-Signature is `hmac-sha256-hex=` and the ' +
      'HMAC-SHA256 of the body by the secret that the operator has agreed on. `carrier` is usps, ups, fedex, dhl or ontrac, or ' +
      'easypost for all of them. Kits move by it: scans that come late, again or out of order never move one backwards, and what ' +
      'the laboratory has received is not on its way. The answer is the same whether anybody waits for the parcel or not.',
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
    ) => receiveCarrierNews(ctx, carrier, { headers, body }),
  }),
];
