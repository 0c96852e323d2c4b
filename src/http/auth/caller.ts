import type { IncomingHttpHeaders } from 'node:http';
import type { ActorOfRequest, Ctx, LinkCtx, ManagementCtx, OrgSignedCtx, SignedCtx, TeamCtx } from '../../context.ts';
import type { AppError, ErrorCode } from '../../errors.ts';
import type { KeyScope } from '../../tenancy/keys/scopes.ts';
import type { AccessCache } from './access.ts';

/** A key by its own id, with whom it belongs to. */
export type KeyIdentity = ActorOfRequest;

/** A header that still does what another does since a day; `documentation` tells which. */
export type DeprecatedHeader = { name: string; since: string; documentation: string };

type Shown = {
  /** The header that the key was sent in, where another has replaced it. */
  deprecatedHeader?: DeprecatedHeader;
  /** Under whose id its requests are counted, where that is not the key itself. */
  countedAs?: string | undefined;
  /** Ids of what the call is about beside those that its input names, for the audit log. */
  records?: string[];
};

/** Who calls, with the context that the handler gets. */
export type Caller = Shown & {
  ctx: Ctx | TeamCtx | LinkCtx | SignedCtx | OrgSignedCtx | ManagementCtx;
  /** Null where anybody may call. */
  key: KeyIdentity | null;
  /** The key itself, as it was sent. */
  apiKey: string;
  /** Finds the caller anew, where what is asked for lasts. */
  again?: () => Promise<Caller | Stranger>;
  /** What a team's key is limited to; null where it is not. */
  scopes?: readonly KeyScope[] | null;
};

/** Nobody who may call: the refusal, and the key where it is one that we know, for the audit log. */
export type Stranger = Shown & { refusal: AppError; key: KeyIdentity | null };

/** A way of telling who calls. */
export type AuthKind = {
  /** As OpenAPI describes it, by name; of several one is enough. Empty where anybody may call. */
  securitySchemes: Record<string, Record<string, unknown>>;
  refusals: readonly ErrorCode[];
  findCaller: (
    ctx: Ctx,
    access: AccessCache,
    headers: IncomingHttpHeaders,
    at: {
      /** As it is declared. */
      path: string;
      params: Readonly<Record<string, string | undefined>>;
      /** That the request comes from. */
      address: string;
    },
  ) => Promise<Caller | Stranger>;
};

/** The first of the headers that says something. */
export function firstOf(headers: IncomingHttpHeaders, names: string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
