import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../../../tenancy/team-paths.ts';
import { Success } from '../../../users/schemas.ts';
import { Uuid } from '../../../wire/schema.ts';
import { approveLabTest } from './approve.ts';

/** The operation with which the operator approves a lab test that a team made. */
export const ownTestOperations = [
  operation({
    id: 'approve_lab_test',
    method: 'POST',
    path: `${TEAM_PATH}/lab_test/{lab_test_id}/approve`,
    tag: 'management',
    auth: 'management_key',
    scope: 'team',
    operatorOnly: true,
    params: Type.Object({ ...ofTeam.properties, lab_test_id: Uuid }),
    response: Success,
    summary: "Approve a team's own lab test, as the operator",
    description: 'Then it can be ordered. A lab test that its team has deactivated stays inactive.',
    refusals: ['not_found'],
    handle: async (ctx, { params: { lab_test_id } }) => {
      await approveLabTest(ctx, lab_test_id);
      return { success: true };
    },
  }),
];
