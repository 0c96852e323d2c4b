// What ties the return from the issuer to the browser that left. The browser keeps a random value in a cookie. State,
// nonce and the verifier of PKCE are keyed hashes of it, so nothing is stored, and nobody but us can compute them.
import { randomBytes } from 'node:crypto';
import type { Ctx } from '../../../context.ts';
import { hostCookie } from '../../../operation/host-cookie.ts';
import type { Cookie } from '../../../operation/media.ts';

export const OPENID_COOKIE = 'phial_openid';
/** How long a person may take at the issuer. */
const SECONDS = 600;
const VALUE = /^[\w-]{43}\.(\d{1,12})$/;

type Part = 'state' | 'nonce' | 'verifier';
/** 43 characters of base64url, as RFC 7636 asks of a verifier. */
export type Checks = Record<Part, string>;

/** Returns the cookie for a browser that leaves for the issuer. */
export function newBrowserSecret({ config }: Pick<Ctx, 'config'>): Cookie {
  const expires = Math.floor(Date.now() / 1000) + SECONDS;
  const value = `${randomBytes(32).toString('base64url')}.${expires}`;
  return hostCookie(config, OPENID_COOKIE, { value, seconds: SECONDS });
}

/**
 * Returns what the issuer must send back for this cookie, or null if the cookie has expired or is not ours. A changed
 * expiry gives another state, so it needs no signature.
 */
export function checksOfOrNull({ cipher }: Pick<Ctx, 'cipher'>, cookie: string | null): Checks | null {
  const expires = VALUE.exec(cookie ?? '')?.[1];
  if (cookie === null || expires === undefined || Number(expires) * 1000 < Date.now()) return null;
  const partOf = (part: Part): string =>
    cipher.lookupHash('openid_check', 'deployment', `${part} ${cookie}`).toString('base64url');
  return { state: partOf('state'), nonce: partOf('nonce'), verifier: partOf('verifier') };
}
