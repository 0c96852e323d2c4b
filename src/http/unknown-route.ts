import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../operation/operation.ts';
import { TransportError } from './error-response.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The methods of each path. They show whether the path or only the method of a request is unknown. */
export type AllowedMethods = { path: string; pattern: RegExp; parameters: number; allow: Set<string> }[];

/** Returns the methods of every path. Paths without parameters come first, because the router prefers them too. */
export function methodsByPath(operations: Operation[]): AllowedMethods {
  const taken = new Map<string, AllowedMethods[number]>();
  for (const { path, method } of operations) {
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

/**
 * Makes each path without parameters refuse its other methods. Otherwise the router would use a route with a parameter.
 * For example, a DELETE of `/v2/user/metrics` would go to `/v2/user/{user_id}`.
 */
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

/**
 * Refuses a request without a route, before it reads a body. It also handles methods that the router does not know,
 * such as TRACE.
 */
export function refuseUnknownRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    allowedMethods,
    pages,
  }: {
    allowedMethods: AllowedMethods;
    /** Paths that are not operations, for example the reference page. They accept GET and HEAD. */
    pages: Set<string>;
  },
): never {
  const path = request.url.split('?')[0] as string;
  const known = allowedMethods.find(({ pattern }) => pattern.test(path));
  // The router does not match some parameters, for example one with a line break. Then the path is unknown although the
  // method is right.
  if (known && !known.allow.has(request.method)) refuseMethod(reply, known.allow);
  if (pages.has(path)) refuseMethod(reply, new Set(['GET', 'HEAD']));
  throw new TransportError('route_not_found');
}
