import type { AuthKind } from './caller.ts';

/** Open to anybody: no key is asked for, and one that comes along is not looked at. */
export const none: AuthKind = {
  securitySchemes: {},
  refusals: [],
  findCaller: async (ctx, _access, _headers, { address }) => ({ ctx: { ...ctx, address }, key: null, apiKey: '' }),
};
