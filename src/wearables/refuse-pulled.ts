import type { TeamCtx, TxCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import { isPushed } from './providers/catalogue.ts';

const REFUSALS = {
  push: ['provider_not_pushable', 'pushes'],
  delete: ['provider_not_deletable', 'deletes'],
} as const;

/**
 * A user's own token writes and deletes only what comes from a phone or from the person: what a provider brought is the team's.
 * Throws provider_not_pushable, provider_not_deletable.
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
    `A user's own token ${does} only what an app on the phone or the person sends, and nothing of ${pulled.provider}: that takes a ` +
      'team API key.',
  );
}
