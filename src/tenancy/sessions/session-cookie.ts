import type { Ctx } from '../../context.ts';
import type { Cookie } from '../../operation/media.ts';

export const SESSION_COOKIE = 'phial_session';
export const SESSION_SECONDS = 43_200;

const isSecure = ({ config }: Pick<Ctx, 'config'>): boolean => config.baseUrl.startsWith('https:');

/**
 * Returns the name of the cookie. With HTTPS it has the prefix `__Host-`: a browser takes such a cookie from this host
 * alone, so that no other host of the domain can sign somebody in as another person. See RFC 6265bis 4.1.3.
 */
export const sessionCookieName = (ctx: Pick<Ctx, 'config'>): string =>
  `${isSecure(ctx) ? '__Host-' : ''}${SESSION_COOKIE}`;

/** Returns the cookie of a session. `SameSite=Lax` follows from the way in which we write every cookie. */
export const sessionCookie = (ctx: Pick<Ctx, 'config'>, token: string): Cookie =>
  cookie(ctx, { value: token, seconds: SESSION_SECONDS });

/** Returns a cookie that makes the browser forget the session. */
export const endedCookie = (ctx: Pick<Ctx, 'config'>): Cookie => cookie(ctx, { value: '', seconds: 0 });

const cookie = (ctx: Pick<Ctx, 'config'>, { value, seconds }: Pick<Cookie, 'value' | 'seconds'>): Cookie => ({
  name: sessionCookieName(ctx),
  value,
  path: '/',
  seconds,
  secure: isSecure(ctx),
});
