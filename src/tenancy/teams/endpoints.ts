import { Type, type Static } from 'typebox';
import type { Config } from '../../config/options.ts';
import { AppError } from '../../errors.ts';
import { endpoint } from '../../http/endpoint.ts';
import { Uuid } from '../../wire/schema.ts';
import type { Region } from '../schemas.ts';
import { createTeam } from './create.ts';
import { deleteTeam } from './delete.ts';
import { findOwnTeam } from './find-own.ts';
import { linkRedirectUrls, putLinkRedirectUrls } from './link-redirect-urls.ts';
import { listPhysicians } from './physicians.ts';
import { toManagedTeam } from './render.ts';
import { DeletedTeam, LinkRedirectUrls, ManagedTeam, OwnTeam, Physician, TeamInput, WebhookPortal } from './schemas.ts';

const tag = 'management';
const auth = 'management_key';

/** What a team's own key can ask of its team. */
export const ownTeamEndpoints = [
  endpoint({
    id: 'get_team',
    method: 'GET',
    path: '/v2/team/{team_id}',
    tag: 'team',
    params: Type.Object({ team_id: Uuid }),
    response: OwnTeam,
    summary: 'Read your own team',
    description: 'With what it has chosen. Keys and secrets are never shown.',
    refusals: ['not_found'],
    handle: (ctx, { params: { team_id } }) => findOwnTeam(ctx, team_id),
  }),
  endpoint({
    id: 'list_physicians',
    method: 'GET',
    path: '/v2/team/{team_id}/physicians',
    tag: 'team',
    params: Type.Object({ team_id: Uuid }),
    response: Type.Array(Physician),
    summary: "List your team's physicians",
    description: 'Whoever runs the service adds them. An order may name any other physician.',
    refusals: ['not_found'],
    handle: (ctx, { params: { team_id } }) => listPhysicians(ctx, team_id),
  }),
  endpoint({
    id: 'get_webhook_portal',
    method: 'GET',
    path: '/v2/team/svix/url',
    tag: 'team',
    response: WebhookPortal,
    summary: 'Find where webhooks are managed',
    description: 'The operations of the management API that do it, on the reference page of this deployment.',
    handle: async ({ config }) => ({ url: `${config.baseUrl}/docs#tag/webhooks` }),
  }),
];

export const teamEndpoints = [
  endpoint({
    id: 'create_team',
    method: 'POST',
    path: '/v1/org/{org_id}/team',
    tag,
    auth,
    scope: 'org',
    params: Type.Object({ org_id: Uuid }),
    body: TeamInput,
    response: ManagedTeam,
    summary: 'Create a team',
    description:
      'With the standard lab tests. A deployment serves one environment and region, so the other environment is null ' +
      'and another region answers 404 wrong_deployment. 409: `detail.team_id` is the team that has the integration_team_id already.',
    refusals: ['limit_reached', 'team_id_taken', 'integration_team_id_conflict', 'wrong_deployment'],
    handle: async (ctx, { body: { id, name, region, integration_team_id, ...settings } }) => {
      refuseOtherRegion(ctx.config, region);
      const team = await createTeam(ctx, { org_id: ctx.org.id, id, name, integration_team_id, settings });
      return toManagedTeam(ctx.config, team);
    },
  }),
  endpoint({
    id: 'delete_team',
    method: 'DELETE',
    path: '/v1/org/{org_id}/team/{team_id}',
    tag,
    auth,
    scope: 'org',
    params: Type.Object({ org_id: Uuid, team_id: Uuid }),
    response: DeletedTeam,
    revokes: true,
    summary: 'Delete a team',
    description:
      'There is no way back. From the answer on its API keys are refused and the team is not found; its users, orders, ' +
      'results, webhooks and events are erased in the background. A Team Management Key that was bound to it alone ends ' +
      'with it.',
    handle: async (ctx, { params }) => {
      await deleteTeam(ctx, params.team_id);
      return { success: true };
    },
  }),
  endpoint({
    id: 'get_link_redirect_urls',
    method: 'GET',
    path: '/v1/org/{org_id}/team/{team_id}/link_redirect_urls',
    tag,
    auth,
    scope: 'team',
    params: Type.Object({ org_id: Uuid, team_id: Uuid }),
    response: LinkRedirectUrls,
    summary: 'Read where link tokens may send browsers to',
    handle: async (ctx) => linkRedirectUrls(ctx),
  }),
  endpoint({
    id: 'put_link_redirect_urls',
    method: 'PUT',
    path: '/v1/org/{org_id}/team/{team_id}/link_redirect_urls',
    tag,
    auth,
    scope: 'team',
    params: Type.Object({ org_id: Uuid, team_id: Uuid }),
    body: LinkRedirectUrls,
    response: LinkRedirectUrls,
    revokes: true,
    summary: 'Say where link tokens may send browsers to',
    description: 'The whole list. An address that is taken out is not gone to any more, also by tokens that name it.',
    handle: (ctx, { body }) => putLinkRedirectUrls(ctx, body),
  }),
];

function refuseOtherRegion(config: Config, region: Static<typeof Region>): void {
  if (region === config.region) return;
  throw new AppError(
    'wrong_deployment',
    `You asked for ${region}, but this service is ${config.environment} ${config.region}. ` +
      "Send the request to that deployment's base address.",
  );
}
