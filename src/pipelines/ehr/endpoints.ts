import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../http/endpoint.ts';
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

const NOTHING_YET = 'It is kept and shown; nothing is sent to an EHR by it yet.';

/** Where results of teams are to go in an EHR. */
export const ehrPipelineEndpoints: Endpoint[] = [
  endpoint({
    id: 'list_team_ehr_pipelines',
    method: 'GET',
    path,
    tag,
    auth,
    scope,
    params,
    query: EhrPipelineQuery,
    response: EhrPipelinePage,
    summary: 'List the EHRs that teams are to work with',
    description: `A team after the other, in the order they were made. Secrets are masked. ${NOTHING_YET}`,
    refusals: ['not_found', 'invalid_cursor'],
    handle: (ctx, { query: { next_cursor = null } }) => listEhrPipelines(ctx, ctx.teamIds, next_cursor),
  }),
  endpoint({
    id: 'set_team_ehr_pipelines',
    method: 'POST',
    path,
    tag,
    auth,
    scope,
    params,
    body: EhrPipelineInput,
    response: EhrPipelines,
    summary: 'Configure the EHR that teams are to work with',
    description: `A team has one of each \`ehr_type\`, which this replaces as a whole. ${NOTHING_YET}`,
    refusals: ['not_found', 'limit_reached', 'pipeline_url_refused', 'pipeline_address_refused'],
    handle: async (ctx, { body }) => {
      const teams = await findOpenTeams(ctx);
      await setEhrPipeline(ctx, teams, body);
      return findEhrPipelines(ctx, teams, body.ehr_type);
    },
  }),
  endpoint({
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
    description: 'Answers what they had, masked; a team that had none is no error.',
    refusals: ['not_found'],
    handle: (ctx, { query: { ehr_type } }) => removeEhrPipelines(ctx, ctx.teamIds ?? [], ehr_type),
  }),
];
