import type { Config } from '../config/options.ts';
import type { Cookie } from './media.ts';

type Address = Pick<Config, 'baseUrl'>;

const isEncrypted = ({ baseUrl }: Address): boolean => baseUrl.startsWith('https:');

/**
 * Returns the name of one of our cookies. With HTTPS it has the prefix `__Host-`: a browser takes such a cookie from
 * this host alone, so that no other host of the domain can act for a person here. See RFC 6265bis 4.1.3.
 */
export const hostCookieName = (config: Address, name: string): string =>
  `${isEncrypted(config) ? '__Host-' : ''}${name}`;

/** Returns a cookie for this host. The prefix needs `Secure` and the path `/`, which all our cookies have. */
export const hostCookie = (config: Address, name: string, content: Pick<Cookie, 'value' | 'seconds'>): Cookie => ({
  name: hostCookieName(config, name),
  ...content,
  secure: isEncrypted(config),
});
