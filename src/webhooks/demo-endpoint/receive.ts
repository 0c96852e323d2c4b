import type { Readable } from 'node:stream';
import type { Ctx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { HookBodies } from '../../hook-bodies.ts';
import { isToken, type Behaviour } from './address.ts';

const bodies = new HookBodies();

/**
 * Takes an event at an endpoint of a demo and stores nothing of it. Throws not_found outside of a sandbox and for a
 * wrong token, before it reads the body. The failing endpoint throws demo_endpoint_failed.
 */
export async function receiveAtDemoEndpoint(
  ctx: Ctx,
  address: { team_id: string; behaviour: Behaviour; token: string },
  body: Readable,
): Promise<{ received: true }> {
  if (ctx.config.environment !== 'sandbox' || !isToken(ctx, address)) throw notFound('Endpoint of a demo');
  await bodies.take(ctx, body, async () => {});
  if (address.behaviour === 'failing') {
    throw new AppError(
      'demo_endpoint_failed',
      'This endpoint of the demo fails always. Give your endpoint the URL of the healthy one, and resend the event.',
    );
  }
  return { received: true };
}
