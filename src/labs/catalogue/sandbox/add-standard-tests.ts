import type { TxCtx } from '../../../context.ts';
import { insertLabTests } from '../insert-lab-tests.ts';
import { STANDARD_TESTS } from './standard-tests.ts';

/** Gives a new team of a sandbox its first lab tests; in production a laboratory has to be connected first. */
export async function addStandardTests(ctx: TxCtx, teamId: string): Promise<void> {
  if (ctx.config.environment !== 'sandbox') return;
  await insertLabTests(
    ctx,
    teamId,
    STANDARD_TESTS.map((test) => ({ ...test, status: 'active' })),
  );
}
