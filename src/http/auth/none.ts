import type { AuthKind } from './caller.ts';

/** Accepts anonymous callers. It ignores a key in the request. */
export const none: AuthKind = {
  securitySchemes: {},
  refusals: [],
  findCaller: async (ctx, _access, _headers, { address }) => ({ ctx: { ...ctx, address }, key: null, apiKey: '' }),
};
