import type { TeamCtx, TxCtx } from '../context.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { demoEndpointUrl } from '../webhooks/demo-endpoint/address.ts';
import { createWebhook } from '../webhooks/endpoints/create.ts';

/** Without daily data of wearables, which would be thousands of deliveries. */
const OF_THE_HEALTHY = ['labtest.*', 'provider.*', 'historical.data.*'];
/** Few, so that the log of attempts shows each. */
const OF_THE_FAILING = ['labtest.result.critical', 'provider.connection.*'];

const REFUSED: readonly string[] = ['webhook_url_refused', 'webhook_address_refused'] satisfies ErrorCode[];

/**
 * Creates an endpoint that takes every event and one that fails, both at this service itself. It creates none if this
 * deployment may not send to its own address, as one that listens beyond loopback.
 */
export async function addEndpoints(ctx: TxCtx<TeamCtx>): Promise<void> {
  try {
    await createBoth(ctx);
  } catch (error) {
    // Both codes come before the first statement.
    if (!(error instanceof AppError) || !REFUSED.includes(error.code)) throw error;
  }
}

async function createBoth(ctx: TxCtx<TeamCtx>): Promise<void> {
  await createWebhook(ctx, {
    url: demoEndpointUrl(ctx, 'healthy'),
    description: 'Demo: takes every event',
    filter_types: OF_THE_HEALTHY,
  });
  await createWebhook(ctx, {
    url: demoEndpointUrl(ctx, 'failing'),
    description: 'Demo: refuses every event. Give it the URL of the other endpoint to mend it',
    filter_types: OF_THE_FAILING,
  });
}
