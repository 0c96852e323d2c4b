import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';
import { lockOrder, type LoadedOrder } from '../../orders/load-order.ts';
import { appointmentTypeOf } from '../order-rules.ts';
import type { AppointmentType } from '../schemas.ts';

export type OrderOfTeam = { team_id: string; order_id: string };
type Work = (ctx: TxCtx<TeamCtx>, order: LoadedOrder, type: AppointmentType) => Promise<void>;

/**
 * Locks the order and runs `work`, which reads or changes the order's appointment for the operator. Throws not_found if
 * the team or the order is unknown, and order_method_mismatch if orders with this collection method have no
 * appointments.
 */
export function withOrder(ctx: Ctx, { team_id, order_id }: OrderOfTeam, work: Work): Promise<{ org_id: string }> {
  return inTransaction(ctx, async (tx) => {
    const team = await findTeamScopeOrNull(tx, team_id);
    if (!team) throw notFound('Team');
    const scoped = forTeam(tx, team);
    const order = await lockOrder(scoped, order_id);
    const type = appointmentTypeOf(order.row.method);
    if (type === null)
      throw new AppError('order_method_mismatch', `An order by ${order.row.method} has no appointments.`);
    await work(scoped, order, type);
    return { org_id: team.org_id };
  });
}
