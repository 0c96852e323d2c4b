import { Type } from 'typebox';
import type { Config } from '../../config/options.ts';
import { AppError } from '../../errors.ts';
import { endpoint } from '../../http/endpoint.ts';
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

const management = { tag: 'management', auth: 'management_key' } as const;
const teams = '/v1/org/{org_id}/team';
const team = `${teams}/{team_id}`;
const refusedWith = { integration_team_id_conflict: IntegrationTeamIDConflictResponse };
const ofOrg = Type.Object({ org_id: Uuid });
const ofTeam = { ...management, scope: 'team', params: Type.Object({ org_id: Uuid, team_id: Uuid }) } as const;

export const teamEndpoints = [
  endpoint({
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
      "By their ids, 50 a page. A Team Management Key sees its own teams. Another region's teams are told by the " +
      'deployment that serves it.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listTeams(ctx, query),
  }),
  endpoint({
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
  endpoint({
    ...ofTeam,
    id: 'patch_team',
    method: 'PATCH',
    path: team,
    body: TeamPatch,
    response: ManagedTeam,
    revokes: true,
    summary: 'Change a team',
    description:
      'What is left out stays as it is, and brand_information is merged key by key. null clears what can be empty ' +
      '(integration_team_id, critical_result_notification_email, brand_information and its keys but company_name, ' +
      'logo_url, partial_webhooks_enabled, minor_ordering_enabled, signed_links_end_with_key) and leaves the rest. Settings of ' +
      'the environment that this deployment does not serve are refused with 404 wrong_deployment. 409: `detail.team_id` is the team that has ' +
      'the integration_team_id already.',
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
  endpoint({
    ...management,
    id: 'resolve_team',
    method: 'POST',
    path: '/v1/org/{org_id}/resolve_team',
    params: ofOrg,
    body: TeamReference,
    response: ManagedTeam,
    summary: 'Find a team by your own id of it',
    description: 'By the integration_team_id that it was given. A Team Management Key finds its own teams.',
    refusals: ['insufficient_scope'],
    handle: async (ctx, { body: { integration_team_id } }) =>
      toManagedTeam(ctx.config, await resolveTeam(ctx, integration_team_id)),
  }),
  endpoint({
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
      'With the standard lab tests. A deployment serves one environment and region, so the other environment is null ' +
      'and another region answers 404 wrong_deployment. 409: `detail.team_id` is the team that has the integration_team_id already; ' +
      'team_id_taken where a team or an organisation has the id, or a deleted team had it.',
    refusals: ['limit_reached', 'team_id_taken', 'integration_team_id_conflict', 'wrong_deployment'],
    refusedWith,
    handle: async (ctx, { body: { id, name, region, integration_team_id, ...settings } }) => {
      if (region !== ctx.config.region) refuseOtherDeployment(ctx.config, region);
      const team = await createTeam(ctx, { org_id: ctx.org.id, id, name, integration_team_id, settings });
      return toManagedTeam(ctx.config, team);
    },
  }),
  endpoint({
    ...ofTeam,
    id: 'end_signed_links',
    method: 'POST',
    path: `${team}/end_signed_links`,
    revokes: true,
    summary: 'End all signed links of a team',
    description:
      'Links to requisitions, results, lab reports and pages for patients that were obtained so far open nothing from the answer ' +
      'on, by whichever key or webhook they were obtained. New ones are had by asking again.',
    refusals: ['not_found'],
    handle: (ctx) => endSignedLinks(ctx, ctx.team),
  }),
  endpoint({
    ...ofTeam,
    id: 'get_link_redirect_urls',
    method: 'GET',
    path: `${team}/link_redirect_urls`,
    response: LinkRedirectUrls,
    summary: 'Read where link tokens may send browsers to',
    handle: async (ctx) => linkRedirectUrls(ctx),
  }),
  endpoint({
    ...ofTeam,
    id: 'put_link_redirect_urls',
    method: 'PUT',
    path: `${team}/link_redirect_urls`,
    body: LinkRedirectUrls,
    response: LinkRedirectUrls,
    revokes: true,
    summary: 'Say where link tokens may send browsers to',
    description:
      'The whole list. An address that is taken out is not gone to any more, also by tokens that name it. A sandbox takes every https ' +
      'address and this machine besides.',
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
