import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from './endpoint.ts';
import { TransportError } from './errors.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What each path takes, for telling an unknown path from a wrong method. */
export type AllowedMethods = { path: string; pattern: RegExp; parameters: number; allow: Set<string> }[];

/** The methods of every path, paths without parameters first, as the router prefers them. */
export function methodsByPath(endpoints: Endpoint[]): AllowedMethods {
  const taken = new Map<string, AllowedMethods[number]>();
  for (const { path, method } of endpoints) {
    const shape = path.replaceAll(/\{\w+\}/g, '[^/]+');
    const entry = taken.get(shape) ?? {
      path,
      pattern: new RegExp(`^${shape}$`),
      parameters: path.split('{').length - 1,
      allow: new Set(),
    };
    entry.allow.add(method);
    if (method === 'GET') entry.allow.add('HEAD');
    taken.set(shape, entry);
  }
  return [...taken.values()].sort((a, b) => a.parameters - b.parameters);
}

function refuseMethod(reply: FastifyReply, allow: Set<string>): never {
  reply.header('allow', [...allow].join(', '));
  throw new TransportError('method_not_allowed');
}

/** The router would hand a method that `/v2/user/metrics` does not take to `/v2/user/{user_id}`: fixed paths refuse it themselves. */
export function refuseOtherMethods(server: FastifyInstance, allowedMethods: AllowedMethods): void {
  for (const { path, parameters, allow } of allowedMethods) {
    if (parameters > 0) continue;
    server.route({
      method: METHODS.filter((method) => !allow.has(method)),
      url: path,
      onRequest: async (_request, reply) => refuseMethod(reply, allow),
      handler: async () => undefined,
    });
  }
}

/** Refused before a body is read. Methods that the router has never heard of, as TRACE, end here too. */
export function refuseUnknownRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    allowedMethods,
    pages,
  }: {
    allowedMethods: AllowedMethods;
    /** Paths that are no operations, as the reference: they are only read. */
    pages: Set<string>;
  },
): never {
  const path = request.url.split('?')[0] as string;
  const known = allowedMethods.find(({ pattern }) => pattern.test(path));
  // A parameter that the router does not take, as one with a line break, is another path and not another method.
  if (known && !known.allow.has(request.method)) refuseMethod(reply, known.allow);
  if (pages.has(path)) refuseMethod(reply, new Set(['GET', 'HEAD']));
  throw new TransportError('route_not_found');
}
