import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { findUser } from '../../../users/find.ts';
import { connect, NO_GRANT } from '../../connections/connect.ts';
import { PROVIDERS } from '../../providers/provider-catalogue.ts';
import { DEMO_DAYS } from './demo-importers.ts';
import { schedulePulls } from '../schedule-pulls.ts';
import type { DemoConnection, DemoConnectionInput } from '../schemas.ts';

/**
 * Connects a user to invented data. The connection brings the last 30 days, and then new data each day. Throws
 * sandbox_only, and not_found or user_scheduled_for_deletion for the user.
 */
export function connectDemo(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  { user_id, provider }: Static<typeof DemoConnectionInput>,
): Promise<Static<typeof DemoConnection>> {
  if (ctx.config.environment !== 'sandbox') {
    throw new AppError('sandbox_only', 'Demo connections exist in the sandbox only.');
  }
  return inTransaction(ctx, async (tx) => {
    const user = await findUser(tx, user_id);
    await connect(tx, user, provider, { ...NO_GRANT, demo: true });
    await schedulePulls(
      tx,
      user,
      { provider, demo: true, granted_scopes: null, credential_id: null },
      { days: DEMO_DAYS },
    );
    const detail = `Connected to invented data of ${PROVIDERS[provider].name}: ${DEMO_DAYS} days are being pulled.`;
    return { success: true, detail };
  });
}
