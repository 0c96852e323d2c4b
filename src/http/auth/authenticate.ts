import type { IncomingHttpHeaders } from 'node:http';
import type { Ctx, ManagementCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { readKey } from '../../tenancy/keys/key-value.ts';
import type { AccessCache } from './access.ts';
import type { Endpoint } from '../endpoint.ts';

/** The header that replaced it is X-Management-Key. */
export const DEPRECATED_MANAGEMENT_HEADER = 'x-service-org-key';
export const MANAGEMENT_HEADER = 'x-management-key';

/** Who calls, with the context that the handler gets. */
export type Caller = {
  ctx: Ctx | TeamCtx | ManagementCtx;
  scopeId: string | null;
  keyId: string | null;
  /** The key itself, as it was sent. */
  apiKey: string;
};

/** Finds who calls, or refuses with 401 or 403 before anything of the request is read. */
export async function authenticate(
  ctx: Ctx,
  access: AccessCache,
  endpoint: Endpoint,
  headers: IncomingHttpHeaders,
): Promise<Caller> {
  if (endpoint.auth === 'none') return { ctx, scopeId: null, keyId: null, apiKey: '' };
  return endpoint.auth === 'team_key'
    ? authenticateTeam(ctx, access, headers)
    : authenticateManagement(ctx, access, endpoint, headers);
}

/** Names of the team key's header, documented one first. */
export const teamKeyHeaders = (headerPrefixes: string[]): string[] =>
  [...new Set(['x-service-', ...headerPrefixes])].map((prefix) => `${prefix}api-key`);

async function authenticateTeam(ctx: Ctx, access: AccessCache, headers: IncomingHttpHeaders): Promise<Caller> {
  const value = firstOf(headers, teamKeyHeaders(ctx.config.headerPrefixes));
  const kind = value === undefined ? null : readKey(value);
  if (kind?.kind === 'management') {
    throw new AppError(
      'wrong_key_kind',
      'A management key opens the management API only. Send a team API key in x-service-api-key.',
    );
  }
  if (kind && (kind.environment !== ctx.config.environment || kind.region !== ctx.config.region)) {
    throw new AppError(
      'wrong_environment',
      `This is a key of ${kind.environment} ${kind.region}, but this service is ` +
        `${ctx.config.environment} ${ctx.config.region}. Send the request to that key's base address.`,
    );
  }
  const team = kind && value !== undefined ? await access.team(value) : null;
  if (!team) {
    throw new AppError(
      'invalid_api_key',
      'Send a valid team API key in the header x-service-api-key. Keys are managed through the management API.',
    );
  }
  return { ctx: { ...ctx, team }, scopeId: team.id, keyId: team.id, apiKey: value as string };
}

async function authenticateManagement(
  ctx: Ctx,
  access: AccessCache,
  endpoint: Endpoint,
  headers: IncomingHttpHeaders,
): Promise<Caller> {
  const value = firstOf(headers, [MANAGEMENT_HEADER, DEPRECATED_MANAGEMENT_HEADER]);
  const kind = value === undefined ? null : readKey(value);
  if (
    kind?.kind === 'team' ||
    (value === undefined && firstOf(headers, teamKeyHeaders(ctx.config.headerPrefixes)) !== undefined)
  ) {
    throw new AppError(
      'wrong_key_kind',
      'A team API key opens the service API only. Send a management key in X-Management-Key.',
    );
  }
  const manager = kind && value !== undefined ? await access.management(value) : null;
  if (!manager) throw new AppError('invalid_api_key', 'Send a valid management key in the header X-Management-Key.');
  if (manager.org.plan !== 'scale') {
    throw new AppError('plan_required', 'The management API needs the plan scale.', {
      fields: { required_plan: 'scale' },
    });
  }
  if (endpoint.orgOnly && manager.key.role !== 'org_admin') {
    throw new AppError(
      'insufficient_scope',
      'This needs an Org Management Key: a Team Management Key opens its own teams only.',
    );
  }
  return { ctx: { ...ctx, ...manager }, scopeId: manager.org.id, keyId: manager.key.id, apiKey: value as string };
}

function firstOf(headers: IncomingHttpHeaders, names: string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}
