// The wearables of the people of a demo clinic.
import type { TeamCtx, TxCtx } from '../context.ts';
import { failConnection } from '../wearables/connections/fail.ts';
import { pauseConnections } from '../wearables/connections/pause-connections.ts';
import { connectDemo } from '../wearables/pulls/demo/connect.ts';
import type { ProviderSlug } from '../wearables/providers/provider-catalogue.ts';
import { findUserIdOrNull } from './find-user.ts';

/** The providers of each person who wears something, by the position of the person. */
const PROVIDERS_OF: Readonly<Record<number, readonly ProviderSlug[]>> = {
  // Glucose and meals beside sleep and heart rate.
  0: ['oura', 'withings', 'freestyle_libre'],
  1: ['dexcom_v3'],
  2: ['garmin'],
  3: ['freestyle_libre'],
  4: ['whoop_v2'],
  5: ['polar'],
  6: ['fitbit'],
};

const PAUSED = { person: 5, provider: 'polar' } as const;
const IN_ERROR = { person: 6, provider: 'fitbit' } as const;

/** Connects a person to invented data. Jobs then bring the last 30 days. */
export async function connectWearables(ctx: TxCtx<TeamCtx>, person: number, user_id: string): Promise<void> {
  for (const provider of PROVIDERS_OF[person] ?? []) await connectDemo(ctx, { user_id, provider });
}

/**
 * Pauses a connection and lets another one fail, as if the provider accepted its token no more. This is the last step,
 * so that both have brought data before.
 */
export async function breakConnections(ctx: TxCtx<TeamCtx>): Promise<void> {
  const paused = await findUserIdOrNull(ctx, PAUSED.person);
  if (paused !== null) await pauseConnections(ctx, PAUSED.provider, [paused]);
  const user_id = await findUserIdOrNull(ctx, IN_ERROR.person);
  if (user_id === null) return;
  const error = { type: 'token_refresh_failed', details: 'invalid_grant' } as const;
  await failConnection(ctx, { user_id, provider: IN_ERROR.provider }, error);
}
