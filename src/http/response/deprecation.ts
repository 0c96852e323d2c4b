import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from '../../log.ts';
import type { Caller, DeprecatedHeader, RefusedCaller } from '../auth/caller.ts';
import type { Deprecation, Operation } from '../../operation/operation.ts';

/**
 * Adds deprecation headers to responses and refusals, and logs which keys use deprecated parts. The returned function
 * handles deprecated operations and headers. A hook handles deprecated fields when the body has been read.
 */
export function openDeprecations(
  server: FastifyInstance,
  log: Logger,
): (reply: FastifyReply, operation: Operation, caller: Caller | RefusedCaller) => void {
  const logUse = openDeprecationLog(log);
  server.addHook('preHandler', async ({ caller, body, routeOptions }, reply) => {
    const { id = '', deprecatedFields = {} } = routeOptions.config.operation ?? {};
    for (const [name, field] of Object.entries(deprecatedFields)) {
      if (!isSent(body, name)) continue;
      markPart(reply, field);
      if (caller?.key) logUse(caller.key.id, `${id} ${name}`);
    }
  });
  return (reply, { id, deprecated }, { key, deprecatedHeader }) => {
    if (deprecated) {
      markOperation(reply, deprecated);
      if (key) logUse(key.id, id);
    }
    if (deprecatedHeader) {
      markPart(reply, deprecatedHeader);
      if (key) logUse(key.id, deprecatedHeader.name);
    }
  };
}

const isSent = (body: unknown, path: string): boolean => {
  let value = body;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return value !== null;
};

const seconds = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000;

/** Sets the headers of RFC 9745 (Deprecation), RFC 8594 (Sunset) and RFC 8288 (Link). */
function markOperation(reply: FastifyReply, { since, sunset, successor }: Deprecation): void {
  reply.header('deprecation', `@${seconds(since)}`);
  if (sunset) reply.header('sunset', new Date(seconds(sunset) * 1000).toUTCString());
  addLink(reply, `<${successor}>; rel="successor-version"`);
}

function markPart(
  reply: FastifyReply,
  { since, documentation }: Pick<DeprecatedHeader, 'since' | 'documentation'>,
): void {
  if (!reply.hasHeader('deprecation')) reply.header('deprecation', `@${seconds(since)}`);
  addLink(reply, `<${documentation}>; rel="deprecation"`);
}

function addLink(reply: FastifyReply, link: string): void {
  const links = reply.getHeader('link');
  reply.header('link', links === undefined ? link : `${String(links)}, ${link}`);
}

/** Returns a function that logs at most one line per key, deprecated part and day. */
function openDeprecationLog(log: Logger): (keyId: string, what: string) => void {
  let day = '';
  const logged = new Set<string>();
  return (keyId, what) => {
    const today = new Date().toISOString().slice(0, 10);
    if (today !== day) {
      day = today;
      logged.clear();
    }
    const entry = `${keyId} ${what}`;
    if (logged.has(entry)) return;
    logged.add(entry);
    log.warn({ key_id: keyId, deprecated: what }, 'a deprecated operation or header is in use');
  };
}
