import type { Ctx, ManagementCtx, TeamCtx, TeamsCtx } from '../../context.ts';
import { boundToManagedTeam } from '../../db/session/bind.ts';
import { AppError, notFound, type ErrorCode } from '../../errors.ts';
import { allows, neededScope, type KeyScope } from '../../tenancy/keys/key-scopes.ts';
import { refuseWithoutBeta } from '../../tenancy/teams/betas.ts';
import { findManagedTeam, findManagedTeams } from '../../tenancy/teams/find.ts';
import type { Operation } from '../../operation/operation.ts';
import type { Caller } from './caller.ts';

type ScopeIds = Record<string, string | undefined> | undefined;

/**
 * Returns the error codes with which `resolveScope` and `refuseBeyondKey` may refuse a request of this operation. The
 * authentication has further codes (`AUTH_KINDS`).
 */
export function scopeRefusals({ auth, scope, beta, params, body }: Operation): ErrorCode[] {
  const closed = beta === null ? [] : (['closed_beta'] as const);
  if (auth !== 'management_key') return [...closed];
  const named = { ...params?.properties, ...environmentOf((body as { properties?: object } | undefined)?.properties) };
  const elsewhere = ['env', 'environment', 'region'].some((name) => name in named);
  return [
    ...closed,
    'not_found',
    ...(scope ? (['insufficient_scope'] as const) : []),
    ...(elsewhere ? (['wrong_deployment'] as const) : []),
  ];
}

/** Throws if the caller's key does not allow this operation. The route calls it before it reads any input. */
export function refuseBeyondKey(operation: Operation, { ctx, scopes }: Pick<Caller, 'ctx' | 'scopes'>): void {
  if (scopes) refuseMissingScope(operation, scopes);
  if (operation.operatorOnly) refuseUnlessOperator(ctx as ManagementCtx);
  if (operation.scope === 'org' && (ctx as ManagementCtx).key.role !== 'org_admin') {
    throw new AppError(
      'insufficient_scope',
      'This operation needs an Org Management Key, or a person who is signed in as an org_admin. A Team Management ' +
        'Key and a team_admin manage their own teams only.',
    );
  }
}

function refuseMissingScope({ area, reads }: Operation, scopes: readonly KeyScope[]): void {
  if (area === null || allows(scopes, { area, reads })) return;
  const required_scope = neededScope({ area, reads });
  throw new AppError(
    'insufficient_scope',
    `This operation needs a key with the scope ${required_scope}. This key has ${scopes.join(', ')}.`,
    { fields: { required_scope } },
  );
}

/**
 * Returns the context for `handle`. It makes every check that depends on both the key and the input. The route calls it
 * before it looks for a stored response of the idempotency key, so nobody gets a stored response without the right to
 * it.
 */
export async function resolveScope(
  operation: Operation,
  ctx: Ctx,
  input: { params: unknown; query: unknown; body: unknown },
): Promise<Ctx> {
  const { onlyUser } = ctx as TeamCtx;
  if (onlyUser !== undefined) refuseOtherUser(onlyUser, input.params);
  const resolved = operation.auth === 'management_key' ? await reach(operation, ctx as ManagementCtx, input) : ctx;
  if (operation.beta) await refuseWithoutBeta(resolved as TeamCtx | TeamsCtx, operation.beta);
  return resolved;
}

/** Throws insufficient_scope for every key, and for every person who is signed in except the operator. */
function refuseUnlessOperator({ person }: ManagementCtx): void {
  if (person?.kind === 'operator') return;
  throw new AppError(
    'insufficient_scope',
    'Only the operator of the service can do this. `phial sign-in-link` prints a link with which the operator signs in.',
  );
}

/** Checks that the management key has access to the organisation, or to the teams that the request names. */
async function reach(
  { scope }: Operation,
  manager: ManagementCtx,
  input: { params: unknown; query: unknown; body: unknown },
): Promise<ManagementCtx> {
  const params = (input.params ?? {}) as Record<string, string | undefined>;
  refuseOtherDeployment(manager, { ...environmentOf(input.body), ...params });
  if (scope === 'teams') {
    const named = teamsNamed(input);
    const managed: TeamsCtx = {
      ...manager,
      namesTeams: named !== null,
      teamIds: named === null ? manager.key.team_ids : await findManagedTeams(manager, named),
    };
    return managed;
  }
  if (scope !== 'team') return manager;
  const teamId = params['team_id'] ?? (input.body as ScopeIds)?.['team_id'] ?? '';
  const team = await findManagedTeam(manager, teamId);
  const managed: ManagementCtx & TeamCtx = { ...boundToManagedTeam(manager, team), team };
  return managed;
}

/** Returns the team ids in the query or the body of a request, or null if there are none. */
function teamsNamed({ query, body }: { query: unknown; body: unknown }): string[] | null {
  const { team_ids } = (body ?? {}) as { team_ids?: string[] | null };
  const { team_id } = (query ?? {}) as { team_id?: string | string[] | null };
  const named = [team_ids ?? [], team_id ?? []].flat(2);
  return named.length > 0 ? named : null;
}

/**
 * Returns the environment (sandbox or production) that the body names. Some operations name the environment in the path
 * instead.
 */
function environmentOf(body: unknown): Record<string, string> {
  const { env, environment } = (body ?? {}) as Record<string, string>;
  const named = environment ?? env;
  return named === undefined ? {} : { environment: named };
}

/** Throws not_found if the path names another user than the token's user. */
function refuseOtherUser(user: string, params: unknown): void {
  if ((params as ScopeIds)?.['user_id'] !== user) throw notFound('User');
}

/**
 * Throws not_found if the path names another organisation than the key's. Throws wrong_deployment if it names another
 * deployment.
 */
function refuseOtherDeployment(ctx: ManagementCtx, params: Record<string, string | undefined>): void {
  if (params['org_id'] !== ctx.org.id) throw notFound('Organisation');
  const { environment, region } = ctx.config;
  const asked = {
    environment: params['environment'] ?? params['env'] ?? environment,
    region: params['region'] ?? region,
  };
  if (asked.environment !== environment || asked.region !== region) {
    throw new AppError(
      'wrong_deployment',
      `You asked for ${asked.environment} ${asked.region}, but this service is ${environment} ${region}. ` +
        "Send the request to that deployment's base address.",
    );
  }
}
