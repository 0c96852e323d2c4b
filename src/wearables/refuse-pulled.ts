import type { TeamCtx, TxCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import { isPushed } from './providers.ts';

/**
 * A user's own token deletes only what comes from a phone or from the person: what a provider brought is the team's. Throws
 * provider_not_deletable.
 */
export function refusePulled({ onlyUser }: TeamCtx | TxCtx<TeamCtx>, from: { provider: string }[]): void {
  if (onlyUser === undefined) return;
  const pulled = from.find(({ provider }) => !isPushed(provider));
  if (!pulled) return;
  throw new AppError(
    'provider_not_deletable',
    `A user's own token deletes only what an app on the phone or the person sends, and nothing of ${pulled.provider}: that takes a ` +
      'team API key.',
  );
}
