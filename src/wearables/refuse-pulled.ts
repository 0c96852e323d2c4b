import type { TeamCtx, TxCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import { isPushed } from './providers/provider-catalogue.ts';

const REFUSALS = {
  push: ['provider_not_pushable', 'pushes'],
  delete: ['provider_not_deletable', 'deletes'],
} as const;

/**
 * Throws if a user's own token would write or delete data of a provider from which Phial pulls. The team is responsible
 * for that data. A user's token may only change what a phone or the person sends. Throws provider_not_pushable,
 * provider_not_deletable.
 */
export function refusePulled(
  { onlyUser }: TeamCtx | TxCtx<TeamCtx>,
  act: keyof typeof REFUSALS,
  from: readonly { provider: string }[],
): void {
  if (onlyUser === undefined) return;
  const pulled = from.find(({ provider }) => !isPushed(provider));
  if (!pulled) return;
  const [code, does] = REFUSALS[act];
  throw new AppError(
    code,
    `A user's own token ${does} only what an app on the phone or the person sends, and no data of ` +
      `${pulled.provider}: that needs a team API key.`,
  );
}
