import type { Ctx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';
import { changeOrder } from '../change-order.ts';
import { lockOrder } from '../load-order.ts';
import { KIT_NOT_BACK } from '../status/statuses.ts';
import { storeShipment, type ShipmentUpdate } from './store-shipment.ts';

/** The order for which a kit is sent, and the team of this order. */
type Kit = { team_id: string; order_id: string };

/**
 * Stores the tracking numbers of a kit's parcels. The operator, or a fulfilment service for the operator, calls this
 * function if no laboratory reports the parcels. The status of the order changes only when a carrier scans a parcel.
 * Throws not_found. Throws order_not_changeable if the order is not for a kit, has ended, or is at the laboratory.
 */
export function shipKit(ctx: Ctx, { team_id, order_id }: Kit, parcels: ShipmentUpdate): Promise<{ org_id: string }> {
  return inTransaction(ctx, async (tx) => {
    const team = await findTeamScopeOrNull(tx, team_id);
    if (!team) throw notFound('Team');
    const scoped = forTeam(tx, team);
    const order = await lockOrder(scoped, order_id);
    const { method, last_low_level_status: status } = order.row;
    if (method !== 'testkit')
      throw new AppError('order_not_changeable', `Order ${order_id} is no kit: it is ${method}.`);
    if (!KIT_NOT_BACK.includes(status))
      throw new AppError(
        'order_not_changeable',
        `No parcel of order ${order_id} is on its way: its status is ${status}.`,
      );
    await changeOrder(scoped, await storeShipment(scoped, order, parcels), {});
    return { org_id: team.org_id };
  });
}
