import type { IncomingHttpHeaders } from 'node:http';

const BEARER = /^bearer +(\S+)$/i;

/** Returns the bearer token of the Authorization header, or null if the header is missing or has another scheme. */
export const bearerOf = ({ authorization }: IncomingHttpHeaders): string | null =>
  BEARER.exec(authorization ?? '')?.[1] ?? null;
