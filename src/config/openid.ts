import type { Config } from './options.ts';
import type { OptionValues } from './read-options.ts';

/** Options that make sense together only. */
const TOGETHER = ['PHIAL_OPENID_ISSUER', 'PHIAL_OPENID_CLIENT_ID', 'PHIAL_OPENID_CLIENT_SECRET'] as const;

/** Returns what is wrong with the issuer at which members sign in. */
export function problemsOfOpenid(given: OptionValues, wrong: ReadonlyMap<string, string>): string[] {
  const missing = TOGETHER.filter((name) => given[name] === null);
  if (TOGETHER.some((name) => wrong.has(name))) return [];
  if (missing.length > 0 && missing.length < TOGETHER.length) {
    return [`${TOGETHER.slice(0, -1).join(', ')} and ${TOGETHER.at(-1)} belong together. Set all of them or none.`];
  }
  return given.PHIAL_ENVIRONMENT === 'production' && given.PHIAL_OPENID_ISSUER?.startsWith('http:')
    ? ['PHIAL_OPENID_ISSUER must be an https address in production: it says who may sign in.']
    : [];
}

export function openidOf(given: OptionValues): Config['openid'] {
  const { PHIAL_OPENID_ISSUER: issuer, PHIAL_OPENID_CLIENT_ID: clientId } = given;
  const clientSecret = given.PHIAL_OPENID_CLIENT_SECRET;
  return issuer === null || clientId === null || clientSecret === null
    ? null
    : { issuer, clientId, clientSecret, name: given.PHIAL_OPENID_NAME };
}
