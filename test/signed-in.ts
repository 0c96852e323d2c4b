// People who are signed in to the dashboard.
import { createSignInLink } from '../src/tenancy/sessions/create-sign-in-link.ts';
import { sessionCookieName } from '../src/tenancy/sessions/session-cookie.ts';
import { operatorOf, type SignInPerson } from '../src/tenancy/sessions/person.ts';
import { makeMember, type Member } from './people-of-orgs.ts';
import type { Answer, Team, TestApp } from './test-app.ts';

type Options = { team?: string | null; csrf?: string | null; headers?: Record<string, string> };

/** What `GET /v1/session` answers. */
export type Shown = {
  session: { id: string; created_at: string; expires_at: string; csrf_token: string };
  person: { kind: string; member_id: string | null; name: string; email: string | null; role: string };
  org: { id: string; name: string; plan: string };
  teams: { id: string; name: string }[];
  has_more_teams: boolean;
};

export type SignedIn = {
  /** The token in the cookie. */
  token: string;
  csrf: string;
  shown: Shown;
  /** Calls the service like the dashboard: with the cookie, and with the CSRF token unless `csrf` says otherwise. */
  api: <T = never>(method: string, path: string, body?: unknown, options?: Options) => Promise<Answer<T>>;
};

/** Sends the form of a one-time link, and returns the value of the session cookie. Null if the link was refused. */
export async function useLink(app: Pick<TestApp, 'baseUrl'>, url: string): Promise<string | null> {
  const response = await fetch(app.baseUrl + new URL(url).pathname, {
    method: 'POST',
    body: new URLSearchParams(),
    redirect: 'manual',
  });
  return /phial_session=(ss_\w+);/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? null;
}

/** Signs a person in with a one-time link. */
export async function signIn(app: TestApp, person: SignInPerson): Promise<SignedIn> {
  const { url } = await createSignInLink(app.ctx, person, 60);
  return openSession(app, (await useLink(app, url)) as string);
}

export const signInOperator = (app: TestApp, team: Team): Promise<SignedIn> => signIn(app, operatorOf(team.org_id));

/** Makes a member with these rights, and signs it in. */
export async function signInMember(
  app: TestApp,
  team: Team,
  { role = 'org_admin', teams }: { role?: string; teams?: string[] } = {},
): Promise<SignedIn & { member: Member }> {
  memberNumber += 1;
  const member = await makeMember(app, team, {
    name: `Ada Lovelace ${memberNumber}`,
    email: `ada-${memberNumber}@example.com`,
    role,
    ...(teams ? { team_role_bindings: teams.map((team_id) => ({ team_id })) } : {}),
  });
  const person = { org_id: team.org_id, member_id: member.id, ehr_member_id: null };
  return { ...(await signIn(app, person)), member };
}
let memberNumber = 0;

/** Uses the session of a cookie. */
export async function openSession(app: TestApp, token: string): Promise<SignedIn> {
  const call = <T>(method: string, path: string, body: unknown, { team, csrf, headers }: Options): Promise<Answer<T>> =>
    app.api<T>(method, path, body, {
      key: null,
      headers: {
        cookie: `theme=dark; ${sessionCookieName(app.ctx)}=${token}`,
        ...(team ? { 'x-phial-team': team } : {}),
        ...(csrf ? { 'x-csrf-token': csrf } : {}),
        ...headers,
      },
    });
  const { body: shown } = await call<Shown>('GET', '/v1/session', undefined, {});
  const csrf = shown.session.csrf_token;
  return { token, csrf, shown, api: (method, path, body, options) => call(method, path, body, { csrf, ...options }) };
}
