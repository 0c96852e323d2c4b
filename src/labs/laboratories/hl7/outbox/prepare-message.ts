import type { TeamCtx } from '../../../../context.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { findInsuranceOrNull } from '../../../../insurance/find-latest.ts';
import { lockOrderIfPresent } from '../../../orders/load.ts';
import { write } from '../codec/write.ts';
import type { Connection } from '../connections/find-connection.ts';
import { orderMessage } from '../messages/order.ts';
import { numberOrder } from './number-order.ts';
import type { Waiting } from './take-waiting.ts';

export type Prepared = { controlId: string; message: string };

/**
 * The message of a waiting row, stored with its control id before a byte of it is sent: whoever sends it again, after a
 * kill or a silence, sends the very same. Null where the order is gone or its user is leaving: nothing is sent then.
 */
export function prepareMessage(ctx: TeamCtx, waiting: Waiting, connection: Connection): Promise<Prepared | null> {
  return inTransaction(ctx, async (tx) => {
    const row = { team_id: ctx.team.id, id: waiting.id };
    const kept = await tx.db
      .selectFrom('hl7_outgoing')
      .select(['control_id', 'message'])
      .where('user_id', '=', waiting.user_id)
      .where('id', '=', waiting.id)
      .executeTakeFirst();
    if (kept)
      return { controlId: kept.control_id, message: tx.cipher.openText('hl7_outgoing.message', row, kept.message) };
    const locked = await lockOrderIfPresent(tx, waiting.order_id);
    if (!locked) return null;
    const { order, number, accountNumber } = await numberOrder(tx, locked, connection);
    const controlId = `${number}${waiting.action === 'new' ? 'N' : 'C'}`;
    const { health_insurance_id: insuranceId } = order.row;
    const message = write(
      orderMessage(connection.settings, {
        order,
        kind: waiting.action,
        number,
        accountNumber,
        insurance: insuranceId === null ? null : await findInsuranceOrNull(tx, order.row.user_id, insuranceId),
        controlId,
        sentAt: new Date().toISOString(),
      }),
    );
    await tx.db
      .insertInto('hl7_outgoing')
      .values({
        user_id: waiting.user_id,
        id: waiting.id,
        team_id: ctx.team.id,
        control_id: controlId,
        message: tx.cipher.sealText('hl7_outgoing.message', row, message),
      })
      .execute();
    return { controlId, message };
  });
}
