import type { Ctx } from '../../context.ts';
import { hostCookie, hostCookieName } from '../../operation/host-cookie.ts';
import type { Cookie } from '../../operation/media.ts';

export const SESSION_COOKIE = 'phial_session';
export const SESSION_SECONDS = 43_200;

/** Returns the name that the cookie has in this deployment. */
export const sessionCookieName = ({ config }: Pick<Ctx, 'config'>): string => hostCookieName(config, SESSION_COOKIE);

/** Returns the cookie of a session. `SameSite=Lax` follows from the way in which we write every cookie. */
export const sessionCookie = ({ config }: Pick<Ctx, 'config'>, token: string): Cookie =>
  hostCookie(config, SESSION_COOKIE, { value: token, seconds: SESSION_SECONDS });

/** Returns a cookie that makes the browser forget the session. */
export const endedCookie = ({ config }: Pick<Ctx, 'config'>): Cookie =>
  hostCookie(config, SESSION_COOKIE, { value: '', seconds: 0 });
