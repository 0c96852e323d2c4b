// Callers with the session cookie. A key in a header wins over the cookie, so programs behind the browser's cookie jar
// keep the rights of their key.
import type { IncomingHttpHeaders } from 'node:http';
import type { Ctx, ManagementCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { isUuid } from '../../ids.ts';
import { equalInConstantTime } from '../../privacy/equal-in-constant-time.ts';
import { personIdOf } from '../../tenancy/creator.ts';
import { readToken } from '../../tenancy/keys/key-value.ts';
import { SESSION_COOKIE, sessionCookieName } from '../../tenancy/sessions/session-cookie.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import type { AccessCache } from './access.ts';
import type { AuthKind, Caller, RefusedCaller } from './caller.ts';
import { cookieOf } from './cookie.ts';
import type { SessionAccess } from './find-session.ts';

const TEAM_HEADER = 'x-phial-team';
const CSRF_HEADER = 'x-csrf-token';

export const SESSION_REFUSALS = ['invalid_session', 'insufficient_scope'] as const satisfies ErrorCode[];

export const SESSION_SCHEME: AuthKind['securitySchemes'] = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The cookie of a person who is signed in to the dashboard. With HTTPS its name begins with `__Host-`. A ' +
      'request that is not GET also needs the header ' +
      `\`${CSRF_HEADER}\` with the token of \`GET /v1/session\`. An operation for team API keys also needs the ` +
      `header \`${TEAM_HEADER}\` with the id of a team. Beside a key, the cookie is ignored.`,
  },
};

/** What a session caller needs of its request. */
type Request = { headers: IncomingHttpHeaders; at: Parameters<AuthKind['findCaller']>[3] };

/** Returns the token in the session cookie, or null. */
export const sessionTokenOf = (ctx: Pick<Ctx, 'config'>, { cookie }: IncomingHttpHeaders): string | null =>
  cookie === undefined ? null : cookieOf(cookie, sessionCookieName(ctx));

export const invalidSession = (): AppError =>
  new AppError('invalid_session', 'You are not signed in, or your session has ended. Sign in again.');

/** Finds the session of a token, and checks the CSRF token of a request that may change something. */
export async function findSessionOrRefusal(
  access: AccessCache,
  token: string,
  { headers, at }: Request,
  teamId: string | null = null,
): Promise<{ found: SessionAccess; shown: Pick<Caller, 'records'> } | RefusedCaller> {
  const found = readToken(token) === 'session' ? await access.session(token, teamId, at.address) : null;
  if (!found) return { key: null, refusal: invalidSession() };
  const personId = personIdOf(found.person);
  const shown = { records: personId === null ? [] : [personId] };
  const sent = headers[CSRF_HEADER];
  if (at.method === 'GET' || (typeof sent === 'string' && equalInConstantTime(sent, found.session.csrf_token)))
    return { found, shown };
  const refusal = new AppError(
    'csrf_token_invalid',
    `Send session.csrf_token of GET /v1/session in the header ${CSRF_HEADER}. Each session has its own.`,
  );
  return { ...shown, key: found.key, refusal };
}

/** Finds the team that a session caller names, for operations of team API keys. */
export async function findTeamOfSession(
  ctx: Ctx,
  access: AccessCache,
  token: string,
  request: Request,
): Promise<Caller | RefusedCaller> {
  const named = request.headers[TEAM_HEADER];
  const teamId = typeof named === 'string' && isUuid(named) ? named.toLowerCase() : null;
  const session = await findSessionOrRefusal(access, token, request, teamId);
  if ('refusal' in session) return session;
  const { found, shown } = session;
  const { team, rights, person, key } = found;
  if (team === null || !manages(rights, team.id)) return { ...shown, key, refusal: teamRefused(named !== undefined) };
  const own = { ...forTeam(ctx, team), keyId: personIdOf(person) ?? person.session_id, person };
  return { ctx: own, ...shown, key: { ...key, team_id: team.id }, apiKey: token };
}

const manages = ({ role, team_ids }: SessionAccess['rights'], teamId: string): boolean =>
  role === 'org_admin' || (role === 'team_admin' && (team_ids ?? []).includes(teamId));

/** The error is the same for an unknown team, one of another organisation, and one that the person does not manage. */
const teamRefused = (isNamed: boolean): AppError =>
  new AppError(
    'insufficient_scope',
    isNamed
      ? `You do not manage the team of the header ${TEAM_HEADER}. GET /v1/session lists your teams.`
      : `Send the id of one of your teams in the header ${TEAM_HEADER}. GET /v1/session lists them.`,
  );

/** Finds what a session caller manages, for operations of management keys. */
export async function findManagerOfSession(
  ctx: Ctx,
  access: AccessCache,
  token: string,
  request: Request,
): Promise<Caller | RefusedCaller> {
  const session = await findSessionOrRefusal(access, token, request);
  if ('refusal' in session) return session;
  const { found, shown } = session;
  const { org, rights, person, key } = found;
  const { role, team_ids } = rights;
  if (role === 'no_role') {
    const refusal = new AppError('insufficient_scope', 'Your role in this organisation manages nothing.');
    return { ...shown, key, refusal };
  }
  // The operator sets the plan, so no plan keeps the operator out.
  if (org.plan !== 'scale' && person.kind !== 'operator') return { ...shown, key, refusal: planRequired() };
  const manager: Pick<ManagementCtx, 'org' | 'key' | 'person'> = {
    org: { id: org.id, plan: org.plan },
    key: { id: person.session_id, role, team_ids },
    person,
  };
  return { ctx: { ...boundToOrg(ctx, org.id), ...manager }, ...shown, key, apiKey: token };
}

export const planRequired = (): AppError =>
  new AppError('plan_required', 'The management API needs the plan "scale".', { fields: { required_plan: 'scale' } });
