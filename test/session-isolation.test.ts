// Calls every operation with sessions that must not open it: ended, expired and unknown ones, with a missing or another
// session's CSRF token, and for teams that the person does not manage. None of these requests changes a row.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { BODIES } from '../src/openapi-texts/examples.ts';
import type { Operation } from '../src/operation/operation.ts';
import { isStream } from '../src/operation/media.ts';
import { newToken } from '../src/tenancy/keys/key-value.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { signInMember, signInOperator, type SignedIn } from './signed-in.ts';
import { startTestApp, type Team, type TestApp } from './test-app.ts';

const OF_TEAMS = ['team_key', 'team_key_or_user_token'];
const takeSessions = operations.filter(({ auth }) => [...OF_TEAMS, 'management_key', 'session'].includes(auth));

let app: TestApp;
let team: Team;
let outsider: Team;
/** A second team of the organisation, to which `bound` is not bound. */
let unboundId: string;
const people = {} as Record<'admin' | 'bound' | 'none' | 'outlander' | 'ended' | 'expired', SignedIn>;

beforeAll(async () => {
  app = await startTestApp();
  [team, outsider] = [app.team, await app.makeTeam('Mesa Labs')];
  unboundId = (await createTeam(app.ctx, { org_id: team.org_id, name: 'Sibling' })).id;
  Object.assign(people, {
    admin: await signInMember(app, team),
    bound: await signInMember(app, team, { role: 'team_admin', teams: [team.id] }),
    none: await signInMember(app, team, { role: 'no_role' }),
    outlander: await signInOperator(app, outsider),
    ended: await signInOperator(app, team),
    expired: await signInOperator(app, team),
  });
  await people.ended.api('DELETE', '/v1/session');
  const { id } = people.expired.shown.session;
  await sql`update sessions set expires_at = now() where id = ${id}`.execute(app.db);
});
afterAll(() => app.close());

type Said = [status: number, code: string | undefined];
type Sent = { team?: string | null; csrf?: string | null; org?: string; teamInPath?: string };

/** Sends the example of the operation as this person. The paths name the team and its organisation. */
async function call(operation: Operation, as: Pick<SignedIn, 'api'>, sent: Sent = {}): Promise<Said> {
  const { org = team.org_id, teamInPath = team.id, ...options } = sent;
  const params: Record<string, string> = { org_id: org, team_id: teamInPath };
  Object.assign(params, { env: 'sandbox', environment: 'sandbox', region: 'us', beta: 'lab_report_parser' });
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? randomUUID());
  const body = isStream(operation.body) ? undefined : (BODIES[operation.id] ?? (operation.body && {}));
  const answer = await as.api<{ code?: string } | undefined>(operation.method, path, body, {
    ...(OF_TEAMS.includes(operation.auth) ? { team: team.id } : {}),
    ...options,
  });
  return [answer.status, answer.body?.code];
}

async function rows(): Promise<unknown> {
  const counts = ['users', 'orders', 'webhooks', 'teams', 'management_keys', 'org_members', 'org_invites', 'sessions'];
  const { rows } = await sql`
    select ${sql.join(counts.map((table) => sql`(select count(*) from ${sql.table(table)})`))}`.execute(app.db);
  return rows;
}

test('sessions that have ended or were never made open no operation', async () => {
  await expect.poll(async () => (await people.expired.api('GET', '/v1/session')).status).toBe(401);
  const unknown = withCookie(newToken('session').value);
  for (const operation of takeSessions) {
    const attempts = [people.ended, people.expired, unknown, withCookie('nonsense')].map((as) => call(operation, as));
    for (const answer of await Promise.all(attempts)) {
      expect([operation.id, ...answer]).toEqual([operation.id, 401, 'invalid_session']);
    }
  }
});

test('a CSRF token that is missing, forged or of another session changes nothing by any operation', async () => {
  const before = await rows();
  for (const operation of takeSessions.filter(({ method }) => method !== 'GET')) {
    const attempts = [null, 'forged', people.bound.csrf].map((csrf) => call(operation, people.admin, { csrf }));
    for (const answer of await Promise.all(attempts)) {
      expect([operation.id, ...answer]).toEqual([operation.id, 403, 'csrf_token_invalid']);
    }
  }
  expect(await rows()).toEqual(before);
});

test('an operation of a team is refused for every team that the person does not manage', async () => {
  for (const operation of takeSessions.filter(({ auth }) => OF_TEAMS.includes(auth))) {
    const attempts = [
      ...[outsider.id, randomUUID(), 'nonsense', null].map((named) => call(operation, people.admin, { team: named })),
      call(operation, people.bound, { team: unboundId }),
      call(operation, people.none),
      call(operation, people.outlander),
    ];
    for (const answer of await Promise.all(attempts)) {
      expect([operation.id, ...answer]).toEqual([operation.id, 403, 'insufficient_scope']);
    }
  }
});

test('an operation of an organisation is refused to outlanders, and without the rights that it needs', async () => {
  for (const operation of takeSessions.filter(({ auth }) => auth === 'management_key')) {
    const { id, scope, path } = operation;
    const refused = [id, 403, 'insufficient_scope'];
    expect([id, ...(await call(operation, people.none))]).toEqual(refused);
    // The input is checked before the organisation. The examples of two operations fit no team here.
    const [status] = await call(operation, people.outlander);
    expect([id, [403, 404, 422].includes(status)]).toEqual([id, true]);
    if (scope === 'org') expect([id, ...(await call(operation, people.bound))]).toEqual(refused);
    if (scope !== 'team' || !path.includes('{team_id}')) continue;
    const [unbound, code] = await call(operation, people.bound, { teamInPath: unboundId });
    expect([id, unbound === 422 || code]).toEqual([id, unbound === 422 || 'insufficient_scope']);
  }
});

test('an operation of the operator is refused to every member, to every key, and in another organisation', async () => {
  const ofOperator = operations.filter(({ operatorOnly }) => operatorOnly);
  expect(ofOperator.length).toBeGreaterThan(4);
  const byKey: Pick<SignedIn, 'api'> = { api: (method, path, body) => team.api(method, path, body) };
  for (const operation of ofOperator) {
    expect([operation.id, operation.auth]).toEqual([operation.id, 'management_key']);
    for (const as of [people.admin, people.bound, byKey])
      expect([operation.id, ...(await call(operation, as))]).toEqual([operation.id, 403, 'insufficient_scope']);
    expect([operation.id, ...(await call(operation, people.outlander))]).toEqual([operation.id, 404, 'not_found']);
  }
});

/** A caller with this cookie, which need not be one of a session. */
const withCookie = (token: string): Pick<SignedIn, 'api'> => ({
  api: (method, path, body, { team = null, csrf = 'any', headers } = {}) =>
    app.api(method, path, body, {
      key: null,
      headers: {
        cookie: `phial_session=${token}`,
        ...(team ? { 'x-phial-team': team } : {}),
        ...(csrf ? { 'x-csrf-token': csrf } : {}),
        ...headers,
      },
    }),
});

test('the walk covers operations of every kind that takes sessions', () => {
  expect(new Set(takeSessions.map(({ auth }) => auth))).toEqual(
    new Set(['team_key', 'team_key_or_user_token', 'management_key', 'session']),
  );
  expect(takeSessions.length).toBeGreaterThan(200);
});
