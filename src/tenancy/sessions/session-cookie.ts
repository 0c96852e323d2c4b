import type { Ctx } from '../../context.ts';
import type { Cookie } from '../../operation/media.ts';

export const SESSION_COOKIE = 'phial_session';
export const SESSION_SECONDS = 43_200;

/** Returns the cookie of a session. `SameSite=Lax` follows from the way in which we write every cookie. */
export const sessionCookie = (ctx: Pick<Ctx, 'config'>, token: string): Cookie =>
  cookie(ctx, { value: token, seconds: SESSION_SECONDS });

/** Returns a cookie that makes the browser forget the session. */
export const endedCookie = (ctx: Pick<Ctx, 'config'>): Cookie => cookie(ctx, { value: '', seconds: 0 });

const cookie = ({ config }: Pick<Ctx, 'config'>, { value, seconds }: Pick<Cookie, 'value' | 'seconds'>): Cookie => ({
  name: SESSION_COOKIE,
  value,
  path: '/',
  seconds,
  secure: config.baseUrl.startsWith('https:'),
});
