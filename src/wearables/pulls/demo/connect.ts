import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { findUser } from '../../../users/find.ts';
import { connect, NOTHING } from '../../connections/connect.ts';
import { PROVIDERS } from '../../providers/catalogue.ts';
import { DEMO_DAYS } from './importers.ts';
import { schedulePulls } from '../schedule.ts';
import type { DemoConnection, DemoConnectionInput } from '../schemas.ts';

/**
 * Connects a user to invented data of the last 30 days, which goes on from there. Throws sandbox_only, and not_found or
 * user_scheduled_for_deletion for the user.
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
    await connect(tx, user, provider, { ...NOTHING, demo: true });
    await schedulePulls(
      tx,
      user,
      { provider, demo: true, granted_scopes: null, credential_id: null },
      { days: DEMO_DAYS },
    );
    const detail = `Connected to invented data of ${PROVIDERS[provider].name}: ${DEMO_DAYS} days are on their way.`;
    return { success: true, detail };
  });
}
