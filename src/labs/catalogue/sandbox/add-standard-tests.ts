import type { TxCtx } from '../../../context.ts';
import { insertLabTests } from '../insert-lab-tests.ts';
import { STANDARD_TESTS } from './standard-tests.ts';

/**
 * Adds the first lab tests to a new team of a sandbox. In production it adds none, because the operator has to connect
 * a laboratory first.
 */
export async function addStandardTests(ctx: TxCtx, teamId: string): Promise<void> {
  if (ctx.config.environment !== 'sandbox') return;
  await insertLabTests(
    ctx,
    teamId,
    STANDARD_TESTS.map((test) => ({ ...test, status: 'active' })),
  );
}
