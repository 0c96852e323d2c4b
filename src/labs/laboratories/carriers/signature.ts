import { createHmac } from 'node:crypto';
import type { Hidden } from '../../../config/provider-options.ts';
import { isSame } from '../../../privacy/is-same.ts';

/** What EasyPost signs with; by Node's lower-case names. */
export const SIGNATURE_HEADER = 'x-hmac-signature';

/**
 * Whether a body is signed by one of the secrets: `hmac-sha256-hex=` and the HMAC of its bytes. EasyPost signs weights with
 * a fraction, so `"weight": 5` is taken for `5.0` where something on the way has written it shorter.
 */
export function isSigned(secrets: readonly Hidden[], body: Buffer, signature: string): boolean {
  const text = body.toString();
  const asSigned = text.replaceAll(/("weight":\s*\d+)(?=[\s,}])/g, '$1.0');
  const variants = asSigned === text ? [body] : [body, Buffer.from(asSigned)];
  // All of them, so that the time tells nothing of which.
  const matches = secrets.flatMap((secret) => {
    const key = Buffer.from(secret.reveal().normalize('NFKD'));
    return variants.map((variant) =>
      isSame(signature, `hmac-sha256-hex=${createHmac('sha256', key).update(variant).digest('hex')}`),
    );
  });
  return matches.includes(true);
}
