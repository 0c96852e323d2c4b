import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { Npi } from '../../wire/person.ts';
import { ofTeam, TEAM_PATH } from '../team-paths.ts';
import { listPhysicians, putPhysician, removePhysician } from './physicians.ts';
import { Physician, PhysicianNames } from './schemas.ts';

const physicians = `${TEAM_PATH}/physician`;
const management = { tag: 'management', auth: 'management_key', scope: 'team' } as const;
const one = {
  ...management,
  path: `${physicians}/{npi}`,
  params: Type.Object({ ...ofTeam.properties, npi: Npi }),
} as const;

/** The operations with which an organisation manages the physicians of its teams. */
export const physicianOperations = [
  operation({
    ...management,
    id: 'list_managed_physicians',
    method: 'GET',
    path: physicians,
    params: ofTeam,
    response: Type.Array(Physician),
    summary: "List a team's physicians",
    description: 'Ordered by name.',
    refusals: ['not_found'],
    handle: (ctx) => listPhysicians(ctx, ctx.team.id),
  }),
  operation({
    ...one,
    id: 'put_physician',
    method: 'PUT',
    body: PhysicianNames,
    response: Physician,
    summary: 'Add a physician to a team, or change the name',
    description: 'A team has at most 1,000 physicians.',
    refusals: ['limit_reached'],
    handle: (ctx, { params: { npi }, body }) => putPhysician(ctx, { npi, ...body }),
  }),
  operation({
    ...one,
    id: 'delete_physician',
    method: 'DELETE',
    summary: 'Remove a physician from a team',
    description: 'Orders keep the physician whom they name.',
    refusals: ['not_found'],
    handle: (ctx, { params: { npi } }) => removePhysician(ctx, npi),
  }),
];
