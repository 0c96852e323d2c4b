import { operation, type Operation } from '../../operation/operation.ts';
import { ofDeployment } from '../../tenancy/team-paths.ts';
import { findOpenTeams } from '../../tenancy/teams/find.ts';
import { findEtlPipelines, listEtlPipelines } from './list.ts';
import { removeEtlPipelines } from './remove.ts';
import { EtlPipelineInput, EtlPipelinePage, EtlPipelineQuery, EtlPipelineRemoval, EtlPipelines } from './schemas.ts';
import { setEtlPipelines } from './set.ts';

const tag = 'management';
const auth = 'management_key';
const scope = 'teams';
const beta = 'etl_pipelines';
const path = '/v1/org/{org_id}/team_etl_pipelines/{env}/{region}';

/** The operations that configure brokers. The events of a team go to its broker in addition to its webhooks. */
export const etlPipelineOperations: Operation[] = [
  operation({
    id: 'list_team_etl_pipelines',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    beta,
    params: ofDeployment,
    query: EtlPipelineQuery,
    response: EtlPipelinePage,
    summary: 'List the event pipelines of teams',
    description: 'By team, in the order in which the teams were created. Passwords are masked.',
    refusals: ['not_found', 'invalid_cursor'],
    handle: (ctx, { query: { next_cursor = null } }) => listEtlPipelines(ctx, ctx.teamIds, next_cursor),
  }),
  operation({
    id: 'set_team_etl_pipelines',
    method: 'POST',
    path,
    tag,
    auth,
    scope,
    beta,
    params: ofDeployment,
    body: EtlPipelineInput,
    response: EtlPipelines,
    summary: 'Stream the events of teams to a broker',
    description:
      'From the time at which `rabbitmq` is preferred or enabled, every event of the team is published to the ' +
      'exchange. Its routing key is the type of the event, `message-id` is its id, and the body is that of ' +
      'webhooks. Events come at least once, in the order of the change feed, and again until the broker has ' +
      'confirmed them. Webhooks stay as they are. Keys that are left out, or null, stay as they are. Without ' +
      'preferences a broker is used once it is configured.',
    refusals: [
      'not_found',
      'limit_reached',
      'sink_not_available',
      'sink_not_configured',
      'pipeline_url_refused',
      'pipeline_address_refused',
    ],
    handle: async (ctx, { body }) => {
      const teams = await findOpenTeams(ctx, beta);
      await setEtlPipelines(ctx, teams, body);
      return findEtlPipelines(ctx, teams);
    },
  }),
  operation({
    id: 'delete_team_etl_pipelines',
    method: 'DELETE',
    path,
    tag,
    auth,
    scope,
    beta,
    params: ofDeployment,
    query: EtlPipelineRemoval,
    response: EtlPipelines,
    summary: 'Remove the event pipelines of teams',
    description:
      'Returns the removed pipelines, with masked passwords. A team without one is no error. A pipeline that is ' +
      'created later starts with the events from then on.',
    refusals: ['not_found'],
    handle: (ctx) => removeEtlPipelines(ctx, ctx.teamIds ?? []),
  }),
];
