import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { ofDeployment } from '../../tenancy/places.ts';
import { findOpenTeams } from '../../tenancy/teams/find.ts';
import { findEtlPipelines, listEtlPipelines } from './list.ts';
import { removeEtlPipelines } from './remove.ts';
import { EtlPipelineInput, EtlPipelinePage, EtlPipelineQuery, EtlPipelineRemoval, EtlPipelines } from './schemas.ts';
import { setEtlPipelines } from './set.ts';

const tag = 'management';
const auth = 'management_key';
const scope = 'teams';
const closedBeta = 'etl_pipelines';
const path = '/v1/org/{org_id}/team_etl_pipelines/{env}/{region}';

/** Where events of teams go besides their webhooks. */
export const etlPipelineEndpoints: Endpoint[] = [
  endpoint({
    id: 'list_team_etl_pipelines',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    closedBeta,
    params: ofDeployment,
    query: EtlPipelineQuery,
    response: EtlPipelinePage,
    summary: 'List where the events of teams are streamed to',
    description: 'A team after the other, in the order they were made. Passwords are masked.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: (ctx, { query: { next_cursor = null } }) => listEtlPipelines(ctx, ctx.teamIds, next_cursor),
  }),
  endpoint({
    id: 'set_team_etl_pipelines',
    method: 'POST',
    path,
    tag,
    auth,
    scope,
    closedBeta,
    params: ofDeployment,
    body: EtlPipelineInput,
    response: EtlPipelines,
    summary: 'Stream the events of teams to a broker',
    description:
      'From the moment on in which `rabbitmq` is preferred or enabled, every event of the team is published to the exchange: the ' +
      'routing key is its type, `message-id` its id, the body that of webhooks. At least once, in the order of the change feed, and ' +
      'again until the broker has confirmed it. Webhooks stay as they are. Keys that are left out, or null, stay as they are; ' +
      'preferences that were never given follow the sinks, so that a broker is used once it is configured.',
    refusals: [
      'not_found',
      'limit_reached',
      'sink_not_available',
      'sink_not_configured',
      'pipeline_url_refused',
      'pipeline_address_refused',
    ],
    handle: async (ctx, { body }) => {
      const teams = await findOpenTeams(ctx, closedBeta);
      await setEtlPipelines(ctx, teams, body);
      return findEtlPipelines(ctx, teams);
    },
  }),
  endpoint({
    id: 'delete_team_etl_pipelines',
    method: 'DELETE',
    path,
    tag,
    auth,
    scope,
    closedBeta,
    params: ofDeployment,
    query: EtlPipelineRemoval,
    response: EtlPipelines,
    summary: 'Stream the events of teams no longer',
    description:
      'Answers what they had, masked; a team that had none is no error. A pipeline made later begins at its own time.',
    refusals: ['not_found'],
    handle: (ctx) => removeEtlPipelines(ctx, ctx.teamIds ?? []),
  }),
];
