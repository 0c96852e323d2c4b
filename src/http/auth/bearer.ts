import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^bearer +(\S+)$/i;

/** The token of the Authorization header; null where there is none, also of another scheme. */
export const bearerOf = ({ authorization }: IncomingHttpHeaders): string | null =>
  BEARER.exec(authorization ?? '')?.[1] ?? null;
