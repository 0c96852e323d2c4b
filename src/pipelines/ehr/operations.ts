import { Type } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { Environment, Region } from '../../tenancy/schemas.ts';
import { findOpenTeams } from '../../tenancy/teams/find.ts';
import { Uuid } from '../../wire/schema.ts';
import { findEhrPipelines, listEhrPipelines } from './list.ts';
import { removeEhrPipelines } from './remove.ts';
import { EhrPipelineInput, EhrPipelinePage, EhrPipelineQuery, EhrPipelineRemoval, EhrPipelines } from './schemas.ts';
import { setEhrPipeline } from './set.ts';

const tag = 'management';
const auth = 'management_key';
const scope = 'teams';
const path = '/v1/org/{org_id}/team_ehr_pipelines/{environment}/{region}';
const params = Type.Object({ org_id: Uuid, environment: Environment, region: Region });

const NOTHING_YET = 'We store the configuration and show it. We send nothing to an EHR with it yet.';

/** The operations that configure to which EHRs the results of teams are to be sent. */
export const ehrPipelineOperations: Operation[] = [
  operation({
    id: 'list_team_ehr_pipelines',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    params,
    query: EhrPipelineQuery,
    response: EhrPipelinePage,
    summary: 'List the EHRs of teams',
    description: `By team, in the order in which the teams were created. Secrets are masked. ${NOTHING_YET}`,
    refusals: ['not_found', 'invalid_cursor'],
    handle: (ctx, { query: { next_cursor = null } }) => listEhrPipelines(ctx, ctx.teamIds, next_cursor),
  }),
  operation({
    id: 'set_team_ehr_pipelines',
    method: 'POST',
    path,
    tag,
    auth,
    scope,
    params,
    body: EhrPipelineInput,
    response: EhrPipelines,
    summary: 'Configure the EHR of teams',
    description: `A team has one pipeline of each \`ehr_type\`. This operation replaces it as a whole. ${NOTHING_YET}`,
    refusals: ['not_found', 'limit_reached', 'pipeline_url_refused', 'pipeline_address_refused'],
    handle: async (ctx, { body }) => {
      const teams = await findOpenTeams(ctx);
      await setEhrPipeline(ctx, teams, body);
      return findEhrPipelines(ctx, teams, body.ehr_type);
    },
  }),
  operation({
    id: 'delete_team_ehr_pipelines',
    method: 'DELETE',
    path,
    tag,
    auth,
    scope,
    params,
    query: EhrPipelineRemoval,
    response: EhrPipelines,
    summary: 'Remove the EHR of teams',
    description: 'Returns the removed pipelines, with masked secrets. A team without one is no error.',
    refusals: ['not_found'],
    handle: (ctx, { query: { ehr_type } }) => removeEhrPipelines(ctx, ctx.teamIds ?? [], ehr_type),
  }),
];
