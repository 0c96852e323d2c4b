import type { Ctx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/scope.ts';
import { changeOrder } from '../change.ts';
import { lockOrder } from '../load.ts';
import { KIT_NOT_BACK } from '../status/table.ts';
import { storeShipment, type ShipmentNews } from './ship.ts';

/** A kit by its order, which the team has ordered. */
type Kit = { team_id: string; order_id: string };

/**
 * By the operator or whoever sends kits in their name, where no laboratory tells of parcels: stores the numbers of a kit's
 * parcels. The order itself moves when a carrier has scanned one of them. Throws not_found, and order_not_changeable where it is
 * no kit, has ended, or lies at its laboratory.
 */
export function shipKit(ctx: Ctx, { team_id, order_id }: Kit, parcels: ShipmentNews): Promise<{ org_id: string }> {
  return inTransaction(ctx, async (tx) => {
    const team = await findTeamScopeOrNull(tx, team_id);
    if (!team) throw notFound('Team');
    const scoped = forTeam(tx, team);
    const order = await lockOrder(scoped, order_id);
    const { method, last_low_level_status: status } = order.row;
    if (method !== 'testkit')
      throw new AppError('order_not_changeable', `Order ${order_id} is no kit: it is ${method}.`);
    if (!KIT_NOT_BACK.includes(status))
      throw new AppError('order_not_changeable', `No parcel of order ${order_id} is on its way: it is ${status}.`);
    await changeOrder(scoped, await storeShipment(scoped, order, parcels), {});
    return { org_id: team.org_id };
  });
}
