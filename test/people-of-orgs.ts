import { inviteUrl } from '../src/tenancy/members/invites/mail.ts';
import type { Team, TestApp } from './test-app.ts';

export type Member = {
  id: string;
  name: string;
  email: string;
  created_on: string;
  role: string;
  team_role_bindings: { team_id: string }[] | null;
};
export type Invite = { id: string; email: string; role: string; resent_at: string | null };

export const memberPath = ({ org_id }: Team, id = ''): string => `/v1/org/${org_id}/member${id && `/${id}`}`;
export const invitePath = ({ org_id }: Team, id = ''): string => `/v1/org/${org_id}/invite${id && `/${id}`}`;

/** Makes an invite, and returns it as the list shows it. */
export async function invite(team: Team, email: string, bound: object = {}): Promise<Invite> {
  await team.api<{ status: string }>('POST', invitePath(team), { email, ...bound });
  const { body } = await team.api<{ invites: Invite[] }>('GET', `${invitePath(team)}?search_query=${email}`);
  return body.invites[0] as Invite;
}

/** A person that an EHR adds to the team. Returns the id of the person. */
export async function letIn(team: Team, name: string): Promise<string> {
  const path = `/v1/org/${team.org_id}/ehr_integration`;
  await team.api<unknown>('PUT', `${path}/configuration`, {
    slug: `ehr-${team.org_id}`,
    modalities: ['link_out'],
    origin_configs: [],
  });
  const { body } = await team.api<{ id: string }>('POST', `${path}/member`, {
    integration_member_id: `ehr ${name}`,
    name,
    email: 'person@example.com',
    team_role_bindings: [{ team_id: team.id }],
  });
  return body.id;
}

/** What the page of an invite sends, by a path or an address. */
export const accept = (app: Pick<TestApp, 'baseUrl'>, url: string, name: string): Promise<Response> =>
  fetch(app.baseUrl + new URL(url, 'http://localhost').pathname, {
    method: 'POST',
    body: new URLSearchParams({ name }),
  });

/** A person who was invited and accepted. */
export async function makeMember(
  app: TestApp,
  team: Team,
  { name, email, ...bound }: { name: string; email: string; role?: string; team_role_bindings?: object[] },
): Promise<Member> {
  const { id } = await invite(team, email, bound);
  await accept(app, inviteUrl(app.ctx, team.org_id, { id }), name);
  const { body } = await team.api<{ members: Member[] }>('GET', `${memberPath(team)}?search_query=${email}`);
  return body.members[0] as Member;
}
