import { Type } from 'typebox';
import type { Config } from '../../config/options.ts';
import { AppError } from '../../errors.ts';
import { operation } from '../../operation/operation.ts';
import { Uuid } from '../../wire/schema.ts';
import { createTeam } from './create.ts';
import { findOwnTeam } from './find-own.ts';
import { endSignedLinks } from './end-signed-links.ts';
import { findManagedTeamRow } from './find.ts';
import { resolveTeam } from './integration-team-id.ts';
import { linkRedirectUrls, putLinkRedirectUrls } from './link-redirect-urls.ts';
import { listTeams } from './list.ts';
import { patchTeam } from './patch.ts';
import { listPhysicians } from './physicians.ts';
import { toManagedTeam } from './render.ts';
import {
  IntegrationTeamIDConflictResponse,
  LinkRedirectUrls,
  ManagedTeam,
  OwnTeam,
  Physician,
  ShownEnvironments,
  TeamFilters,
  TeamInput,
  TeamPage,
  TeamPatch,
  TeamReference,
  WebhookPortal,
} from './schemas.ts';

/** The operations that a team API key has for its own team. */
export const ownTeamOperations = [
  operation({
    id: 'get_team',
    method: 'GET',
    path: '/v2/team/{team_id}',
    tag: 'team',
    params: Type.Object({ team_id: Uuid }),
    response: OwnTeam,
    summary: 'Read your own team',
    description: 'With its settings. Keys and secrets are never shown.',
    refusals: ['not_found'],
    handle: (ctx, { params: { team_id } }) => findOwnTeam(ctx, team_id),
  }),
  operation({
    id: 'list_physicians',
    method: 'GET',
    path: '/v2/team/{team_id}/physicians',
    tag: 'team',
    params: Type.Object({ team_id: Uuid }),
    response: Type.Array(Physician),
    summary: "List your team's physicians",
    description: 'Ordered by name. PUT …/physician/{npi} of the management API adds them. An order can name any other.',
    refusals: ['not_found'],
    handle: (ctx, { params: { team_id } }) => listPhysicians(ctx, team_id),
  }),
  operation({
    id: 'get_webhook_portal',
    method: 'GET',
    path: '/v2/team/svix/url',
    tag: 'team',
    response: WebhookPortal,
    summary: 'Find the page for managing webhooks',
    description: 'The reference page of this deployment, with the operations of the management API for webhooks.',
    handle: async ({ config }) => ({ url: `${config.baseUrl}/docs/tags/webhooks` }),
  }),
];

const management = { tag: 'management', auth: 'management_key' } as const;
const teams = '/v1/org/{org_id}/team';
const team = `${teams}/{team_id}`;
const refusedWith = { integration_team_id_conflict: IntegrationTeamIDConflictResponse };
const ofOrg = Type.Object({ org_id: Uuid });
const ofTeam = { ...management, scope: 'team', params: Type.Object({ org_id: Uuid, team_id: Uuid }) } as const;

export const teamOperations = [
  operation({
    ...management,
    id: 'list_teams',
    method: 'GET',
    path: teams,
    scope: 'teams',
    params: ofOrg,
    query: TeamFilters,
    response: TeamPage,
    summary: 'List teams',
    description:
      'Ordered by id, 50 per page. A Team Management Key lists its own teams. The deployment of another ' +
      'region lists the teams of that region.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listTeams(ctx, query),
  }),
  operation({
    ...ofTeam,
    id: 'get_managed_team',
    method: 'GET',
    path: team,
    query: ShownEnvironments,
    response: ManagedTeam,
    summary: 'Read a team',
    description: 'With its settings. The environment that this deployment does not serve is null.',
    handle: async (ctx, { query: { include_environment } }) =>
      toManagedTeam(ctx.config, await findManagedTeamRow(ctx), include_environment),
  }),
  operation({
    ...ofTeam,
    id: 'patch_team',
    method: 'PATCH',
    path: team,
    body: TeamPatch,
    response: ManagedTeam,
    revokes: true,
    summary: 'Change a team',
    description:
      'Absent keys stay as they are, and brand_information is merged key by key. Null clears what can be ' +
      'empty (integration_team_id, critical_result_notification_email, brand_information and its keys except ' +
      'company_name, logo_url, partial_webhooks_enabled, minor_ordering_enabled, signed_links_end_with_key) ' +
      'and leaves all other values. Settings of the environment that this deployment does not serve are ' +
      'refused with 404 wrong_deployment. 409: `detail.team_id` is the team that already has the ' +
      'integration_team_id.',
    refusals: ['integration_team_id_conflict', 'wrong_deployment'],
    refusedWith,
    handle: async (ctx, { body: { name, integration_team_id, ...environments } }) => {
      const { environment } = ctx.config;
      for (const each of ['sandbox', 'production'] as const) {
        if (each !== environment && environments[each]) refuseOtherDeployment(ctx.config, `settings of ${each}`);
      }
      const team = await patchTeam(ctx, { name, integration_team_id }, environments[environment] ?? null);
      return toManagedTeam(ctx.config, team);
    },
  }),
  operation({
    ...management,
    id: 'resolve_team',
    method: 'POST',
    path: '/v1/org/{org_id}/resolve_team',
    params: ofOrg,
    body: TeamReference,
    response: ManagedTeam,
    summary: 'Find a team by your own id',
    description: 'By its integration_team_id. A Team Management Key finds its own teams.',
    refusals: ['insufficient_scope'],
    handle: async (ctx, { body: { integration_team_id } }) =>
      toManagedTeam(ctx.config, await resolveTeam(ctx, integration_team_id)),
  }),
  operation({
    ...management,
    id: 'create_team',
    method: 'POST',
    path: teams,
    scope: 'org',
    params: ofOrg,
    body: TeamInput,
    response: ManagedTeam,
    summary: 'Create a team',
    description:
      'With the standard lab tests. A deployment serves one environment and region, so the other environment ' +
      'is null, and another region is a 404 wrong_deployment. 409: `detail.team_id` is the team that already ' +
      'has the integration_team_id. team_id_taken: a team or an organisation has the id, or a deleted team ' +
      'had it.',
    refusals: ['limit_reached', 'team_id_taken', 'integration_team_id_conflict', 'wrong_deployment'],
    refusedWith,
    handle: async (ctx, { body: { id, name, region, integration_team_id, ...settings } }) => {
      if (region !== ctx.config.region) refuseOtherDeployment(ctx.config, region);
      const team = await createTeam(ctx, { org_id: ctx.org.id, id, name, integration_team_id, settings });
      return toManagedTeam(ctx.config, team);
    },
  }),
  operation({
    ...ofTeam,
    id: 'end_signed_links',
    method: 'POST',
    path: `${team}/end_signed_links`,
    revokes: true,
    summary: 'End all signed links of a team',
    description:
      'After the response, all existing links to requisitions, results, lab reports and pages for patients ' +
      'stop working, whichever key or webhook they came from. Request new links when you need them.',
    refusals: ['not_found'],
    handle: (ctx) => endSignedLinks(ctx, ctx.team),
  }),
  operation({
    ...ofTeam,
    id: 'get_link_redirect_urls',
    method: 'GET',
    path: `${team}/link_redirect_urls`,
    response: LinkRedirectUrls,
    summary: 'Read the redirect addresses of link tokens',
    handle: async (ctx) => linkRedirectUrls(ctx),
  }),
  operation({
    ...ofTeam,
    id: 'put_link_redirect_urls',
    method: 'PUT',
    path: `${team}/link_redirect_urls`,
    body: LinkRedirectUrls,
    response: LinkRedirectUrls,
    revokes: true,
    summary: 'Set the redirect addresses of link tokens',
    description:
      'Replaces the whole list. Tokens no longer redirect to a removed address, even if they name it. A ' +
      'sandbox also accepts every https address and localhost.',
    handle: (ctx, { body }) => putLinkRedirectUrls(ctx, body),
  }),
];

function refuseOtherDeployment({ environment, region }: Config, asked: string): never {
  throw new AppError(
    'wrong_deployment',
    `You asked for ${asked}, but this service is ${environment} ${region}. ` +
      "Send the request to that deployment's base address.",
  );
}
