import { Type } from 'typebox';
import { endpoint } from '../../../http/endpoint.ts';
import { Uuid } from '../../../wire/schema.ts';
import { deleteTeam } from './delete.ts';
import { findDeletion } from './find.ts';
import { toDeletion } from './render.ts';
import { DeletedTeam, TeamDeletion } from './schemas.ts';

const ofDeletions = {
  tag: 'management',
  auth: 'management_key',
  scope: 'org',
  params: Type.Object({ org_id: Uuid, team_id: Uuid }),
} as const;

export const deletionEndpoints = [
  endpoint({
    ...ofDeletions,
    id: 'delete_team',
    method: 'DELETE',
    path: '/v1/org/{org_id}/team/{team_id}',
    response: DeletedTeam,
    revokes: true,
    summary: 'Delete a team',
    description:
      'There is no way back: export it before, if its data is still needed. From the answer on its API keys are refused, the ' +
      'team is not found and nothing is sent to its webhooks; its users, orders, results, webhooks and events are erased in ' +
      'the background, as get_team_deletion tells. A Team Management Key that was bound to it alone ends with it.',
    handle: async (ctx, { params }) => ({
      success: true,
      deletion: toDeletion(await deleteTeam(ctx, params.team_id)),
    }),
  }),
  endpoint({
    ...ofDeletions,
    id: 'get_team_deletion',
    method: 'GET',
    path: '/v1/org/{org_id}/team/{team_id}/deletion',
    response: TeamDeletion,
    summary: 'Read how far the erasure of a deleted team has come',
    description:
      'Also when nothing of the team is left, for a year from then on. A team that was not deleted has none.',
    handle: async (ctx, { params }) => toDeletion(await findDeletion(ctx, params.team_id)),
  }),
];
