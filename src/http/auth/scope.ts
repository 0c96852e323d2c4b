import type { Ctx, ManagementCtx, TeamCtx, TeamsCtx } from '../../context.ts';
import { boundToManagedTeam } from '../../db/session/bind.ts';
import { AppError, notFound, type ErrorCode } from '../../errors.ts';
import { allows, neededScope, type KeyScope } from '../../tenancy/keys/scopes.ts';
import { refuseClosedBeta } from '../../tenancy/teams/closed-beta.ts';
import { findManagedTeam, findManagedTeams } from '../../tenancy/teams/find.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Caller } from './caller.ts';

type Named = Record<string, string | undefined> | undefined;

/** What the scope of an operation refuses, beside its key. */
export function scopeRefusals({ auth, scope, closedBeta, params, body }: Endpoint): ErrorCode[] {
  const beta = closedBeta === null ? [] : (['closed_beta'] as const);
  if (auth !== 'management_key') return [...beta];
  const named = { ...params?.properties, ...environmentOf((body as { properties?: object } | undefined)?.properties) };
  const elsewhere = ['env', 'environment', 'region'].some((name) => name in named);
  return [
    ...beta,
    'not_found',
    ...(scope ? (['insufficient_scope'] as const) : []),
    ...(elsewhere ? (['wrong_deployment'] as const) : []),
  ];
}

/** What the caller's key is not good for, before anything of the request is read. */
export function refuseBeyondKey(endpoint: Endpoint, { ctx, scopes }: Pick<Caller, 'ctx' | 'scopes'>): void {
  if (scopes) refuseMissingScope(endpoint, scopes);
  if (endpoint.scope === 'org' && (ctx as ManagementCtx).key.role !== 'org_admin') {
    throw new AppError(
      'insufficient_scope',
      'This needs an Org Management Key: a Team Management Key opens its own teams only.',
    );
  }
}

function refuseMissingScope({ area, reads }: Endpoint, scopes: readonly KeyScope[]): void {
  if (area === null || allows(scopes, { area, reads })) return;
  const required_scope = neededScope({ area, reads });
  throw new AppError(
    'insufficient_scope',
    `This needs a key with the scope ${required_scope}; this one has ${scopes.join(', ')}.`,
    { fields: { required_scope } },
  );
}

/** The context of `handle`: all that a key may be refused for is settled here, before any stored answer is looked for. */
export async function resolveScope(
  endpoint: Endpoint,
  ctx: Ctx,
  input: { params: unknown; query: unknown; body: unknown },
): Promise<Ctx> {
  const { onlyUser } = ctx as TeamCtx;
  if (onlyUser !== undefined) refuseOtherUser(onlyUser, input.params);
  const resolved = endpoint.auth === 'management_key' ? await reach(endpoint, ctx as ManagementCtx, input) : ctx;
  if (endpoint.closedBeta) await refuseClosedBeta(resolved as TeamCtx | TeamsCtx, endpoint.closedBeta);
  return resolved;
}

/** What a management key reaches of the organisation, or the team that the request names. */
async function reach(
  { scope }: Endpoint,
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
  const teamId = params['team_id'] ?? (input.body as Named)?.['team_id'] ?? '';
  const team = await findManagedTeam(manager, teamId);
  const managed: ManagementCtx & TeamCtx = { ...boundToManagedTeam(manager, team), team };
  return managed;
}

/** The teams that a request names; null where it names none. */
function teamsNamed({ query, body }: { query: unknown; body: unknown }): string[] | null {
  const { team_ids } = (body ?? {}) as { team_ids?: string[] | null };
  const { team_id } = (query ?? {}) as { team_id?: string | string[] | null };
  const named = [team_ids ?? [], team_id ?? []].flat(2);
  return named.length > 0 ? named : null;
}

/** A body names the environment where the path does not. */
function environmentOf(body: unknown): Record<string, string> {
  const { env, environment } = (body ?? {}) as Record<string, string>;
  const named = environment ?? env;
  return named === undefined ? {} : { environment: named };
}

/** Another user does not exist for a user's token. */
function refuseOtherUser(user: string, params: unknown): void {
  if ((params as Named)?.['user_id'] !== user) throw notFound('User');
}

/** Another organisation does not exist for this key, and another deployment is elsewhere. */
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
