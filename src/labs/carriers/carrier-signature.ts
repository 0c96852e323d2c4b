import { createHmac } from 'node:crypto';
import type { Hidden } from '../../config/provider-options.ts';
import { equalInConstantTime } from '../../privacy/equal-in-constant-time.ts';

/** The header that contains EasyPost's signature. Node names headers in lower case. */
export const SIGNATURE_HEADER = 'x-hmac-signature';

/**
 * Returns whether the sender signed a body with one of the secrets. The signature is `hmac-sha256-hex=` and the HMAC of
 * the body's bytes. EasyPost signs weights with a fraction, for example `"weight": 5.0`. A proxy may have changed that
 * to `"weight": 5`, which would break the signature, so we try both forms.
 */
export function isSigned(secrets: readonly Hidden[], body: Buffer, signature: string): boolean {
  const text = body.toString();
  const asSigned = text.replaceAll(/("weight":\s*\d+)(?=[\s,}])/g, '$1.0');
  const variants = asSigned === text ? [body] : [body, Buffer.from(asSigned)];
  // We compare with all secrets, even after one has matched. Otherwise the time that we take could reveal which secret
  // matched.
  const matches = secrets.flatMap((secret) => {
    const key = Buffer.from(secret.reveal().normalize('NFKD'));
    return variants.map((variant) =>
      equalInConstantTime(signature, `hmac-sha256-hex=${createHmac('sha256', key).update(variant).digest('hex')}`),
    );
  });
  return matches.includes(true);
}
