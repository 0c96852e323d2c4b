import { Type } from 'typebox';
import { BETAS } from '../../operation/betas.ts';
import { operation } from '../../operation/operation.ts';
import { oneOf, Uuid } from '../../wire/schema.ts';
import { listBetas, setBeta } from './betas.ts';
import { ClosedBetaInput, ClosedBetas } from './schemas.ts';

const ofTeam = { tag: 'management', auth: 'management_key', scope: 'team', response: ClosedBetas } as const;
const path = '/v1/org/{org_id}/team/{team_id}/closed_beta';
const params = { org_id: Uuid, team_id: Uuid };

/** The operations with which the operator opens closed betas to teams. */
export const betaOperations = [
  operation({
    ...ofTeam,
    id: 'list_closed_betas',
    method: 'GET',
    path,
    params: Type.Object(params),
    summary: 'List the closed betas, and which of them are open to a team',
    description: 'In a sandbox every beta is open to every team.',
    refusals: ['not_found'],
    handle: async (ctx) => ({ data: await listBetas(ctx) }),
  }),
  operation({
    ...ofTeam,
    id: 'put_closed_beta',
    method: 'PUT',
    path: `${path}/{beta}`,
    operatorOnly: true,
    params: Type.Object({ ...params, beta: oneOf(BETAS, { description: 'Name of the beta.' }) }),
    body: ClosedBetaInput,
    summary: 'Open a closed beta to a team, or close it, as the operator',
    description: 'The objects that a team made with a beta stay when it is closed.',
    refusals: ['not_found'],
    handle: async (ctx, { params: { beta }, body: { is_open } }) => {
      await setBeta(ctx, { org_id: ctx.org.id, team_id: ctx.team.id, beta, open: is_open });
      return { data: await listBetas(ctx) };
    },
  }),
];
