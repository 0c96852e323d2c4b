import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
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

export const deletionOperations = [
  operation({
    ...ofDeletions,
    id: 'delete_team',
    method: 'DELETE',
    path: '/v1/org/{org_id}/team/{team_id}',
    response: DeletedTeam,
    revokes: true,
    summary: 'Delete a team',
    description:
      'A deletion cannot be undone: export the team first if you need its data. After the response, its API ' +
      'keys are refused, the team is not found and nothing is sent to its webhooks. Its users, orders, ' +
      'results, webhooks and events are erased in the background. get_team_deletion reports the progress. A ' +
      'Team Management Key that was bound to this team only ends with it.',
    handle: async (ctx, { params }) => ({
      success: true,
      deletion: toDeletion(await deleteTeam(ctx, params.team_id)),
    }),
  }),
  operation({
    ...ofDeletions,
    id: 'get_team_deletion',
    method: 'GET',
    path: '/v1/org/{org_id}/team/{team_id}/deletion',
    response: TeamDeletion,
    summary: "Read the progress of a team's erasure",
    description: 'Also for a year after the team is completely erased. A team that was not deleted is a 404.',
    handle: async (ctx, { params }) => toDeletion(await findDeletion(ctx, params.team_id)),
  }),
];
