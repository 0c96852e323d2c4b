import type { IncomingHttpHeaders } from 'node:http';
import type {
  ActorOfRequest,
  Ctx,
  LinkCtx,
  ManagementCtx,
  OrgSignedCtx,
  SessionCtx,
  SignedCtx,
  TeamCtx,
} from '../../context.ts';
import type { AppError, ErrorCode } from '../../errors.ts';
import type { KeyScope } from '../../tenancy/keys/key-scopes.ts';
import type { Operation } from '../../operation/operation.ts';
import type { AccessCache } from './access.ts';

/** The id of a key and the ids of its owner. */
export type KeyIdentity = ActorOfRequest;

/** A deprecated header. `documentation` names the header that replaces it. */
export type DeprecatedHeader = { name: string; since: string; documentation: string };

type CallerDetails = {
  /** Set if the request sent its key in a deprecated header. */
  deprecatedHeader?: DeprecatedHeader;
  /** The id under which the rate limit counts this request, if it is not the key's id. */
  countedAs?: string | undefined;
  /** Ids for the audit log, in addition to the ids in the input. */
  records?: string[];
};

/** An accepted caller, with the context for the operation's `handle`. */
export type Caller = CallerDetails & {
  ctx: Ctx | TeamCtx | LinkCtx | SignedCtx | OrgSignedCtx | ManagementCtx | SessionCtx;
  /** Null for anonymous callers. */
  key: KeyIdentity | null;
  /** The key or token that the request sent. Empty for anonymous callers. */
  apiKey: string;
  /**
   * Authenticates the caller again with the same key. Set for operations that last long, because the key may be revoked
   * meanwhile.
   */
  again?: () => Promise<Caller | RefusedCaller>;
  /** The scopes of a team key, or null if the key is not limited to scopes. */
  scopes?: readonly KeyScope[] | null;
};

/** A refused caller. If we know the key that it sent, `key` is set, and the audit log names the key. */
export type RefusedCaller = CallerDetails & { refusal: AppError; key: KeyIdentity | null };

/** One way to authenticate callers. */
export type AuthKind = {
  /** OpenAPI security schemes by name. A caller needs only one of them. Empty for anonymous operations. */
  securitySchemes: Record<string, Record<string, unknown>>;
  refusals: readonly ErrorCode[];
  /** True if a person who is signed in may call these operations with the session cookie. */
  takesSessions?: true;
  findCaller: (
    ctx: Ctx,
    access: AccessCache,
    headers: IncomingHttpHeaders,
    at: {
      /** The path as the operation declares it, with `{name}` for parameters. */
      path: string;
      params: Readonly<Record<string, string | undefined>>;
      method: Operation['method'];
      /** The network address from which the request came. */
      address: string;
    },
  ) => Promise<Caller | RefusedCaller>;
};

/** Returns the value of the first of these headers that is present and not empty. */
export function firstOf(headers: IncomingHttpHeaders, names: string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
