import { Type } from 'typebox';
import { inTransaction } from '../../../db/transaction.ts';
import { operation } from '../../../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../../../tenancy/team-paths.ts';
import { Uuid } from '../../../wire/schema.ts';
import { issueKits } from './issue-kits.ts';
import { IssuedKits, KitParcels, KitsInput, shipmentOf } from './parcels.ts';
import { shipKit } from './ship-kit.ts';

const management = { tag: 'management', auth: 'management_key', scope: 'team' } as const;

/** The operations for whoever packs and sends the kits of a team. */
export const kitOperations = [
  operation({
    ...management,
    id: 'issue_kits',
    method: 'POST',
    path: `${TEAM_PATH}/kit`,
    params: ofTeam,
    body: KitsInput,
    response: IssuedKits,
    summary: 'Issue ids of test kits to a team',
    description:
      'Print each id on a kit. The team registers the kit by it, for one of its users. At most 100,000 ids of a team ' +
      'wait for their registration.',
    refusals: ['limit_reached'],
    handle: async (ctx, { body: { count } }) => ({
      sample_ids: await inTransaction(ctx, (tx) => issueKits(tx, count)),
    }),
  }),
  operation({
    ...management,
    id: 'ship_kit',
    method: 'POST',
    path: `${TEAM_PATH}/order/{order_id}/ship_kit`,
    params: Type.Object({ ...ofTeam.properties, order_id: Uuid }),
    body: KitParcels,
    response: Type.Object({ success: Type.Boolean({ description: 'Always true.' }) }),
    summary: 'Add the tracking numbers of a kit',
    description:
      'Updates of carriers about these numbers then advance the order of the kit. Only a scan of a carrier changes ' +
      'its status. A number that is sent again replaces the one before.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'order_not_changeable'],
    handle: async (ctx, { params: { order_id }, body }) => {
      const { outbound_tracking_number: outbound, inbound_tracking_number: inbound, courier } = body;
      await shipKit(ctx, { team_id: ctx.team.id, order_id }, shipmentOf({ outbound, inbound, courier }));
      return { success: true };
    },
  }),
];
