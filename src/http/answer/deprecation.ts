import type { FastifyReply } from 'fastify';
import type { Logger } from '../../log.ts';
import type { Deprecation } from '../endpoint.ts';

const seconds = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

/** Marks the answer of a deprecated operation as RFC 9745 (Deprecation), RFC 8594 (Sunset) and RFC 8288 (Link) ask. */
export function markDeprecated(reply: FastifyReply, { since, sunset, successor }: Deprecation): void {
  reply.header('deprecation', `@${seconds(since)}`);
  if (sunset) reply.header('sunset', new Date(seconds(sunset) * 1000).toUTCString());
  addLink(reply, `<${successor}>; rel="successor-version"`);
}

/** Marks the answer to a request that used a deprecated header; `documentation` tells what to use instead. */
export function markDeprecatedHeader(
  reply: FastifyReply,
  { since, documentation }: { since: string; documentation: string },
): void {
  if (!reply.hasHeader('deprecation')) reply.header('deprecation', `@${seconds(since)}`);
  addLink(reply, `<${documentation}>; rel="deprecation"`);
}

function addLink(reply: FastifyReply, link: string): void {
  const links = reply.getHeader('link');
  reply.header('link', links === undefined ? link : `${String(links)}, ${link}`);
}

/** Tells the operator who still uses what is deprecated: one line per key, thing and day. */
export function openDeprecationLog(log: Logger): (keyId: string, what: string) => void {
  let day = '';
  const told = new Set<string>();
  return (keyId, what) => {
    const today = new Date().toISOString().slice(0, 10);
    if (today !== day) {
      day = today;
      told.clear();
    }
    const entry = `${keyId} ${what}`;
    if (told.has(entry)) return;
    told.add(entry);
    log.warn({ key_id: keyId, deprecated: what }, 'a deprecated operation or header is in use');
  };
}
