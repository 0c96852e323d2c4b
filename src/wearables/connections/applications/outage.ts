import type { Logger } from '../../../log.ts';
import type { Configured } from './configured.ts';

/** What an operator was told of is not told again for so long: each connection meets it. */
const TOLD_FOR_MS = 10 * 60_000;
const toldAt = new Map<string, number>();

/** Whose an application is, where it is not this deployment's. */
export const ownerOf = ({ own }: Configured): { team_id?: string } => (own ? { team_id: own.team_id } : {});

/**
 * A line for the operator, once an outage: a provider is away, or refuses this application, or that of a team. `code` names
 * no user.
 */
export function tellOfOutage(log: Logger, trouble: { provider: string; code: string; team_id?: string }): void {
  const key = `${trouble.provider} ${trouble.code} ${trouble.team_id ?? ''}`;
  const now = performance.now();
  if (now - (toldAt.get(key) ?? -Infinity) < TOLD_FOR_MS) return;
  toldAt.set(key, now);
  log.warn(
    trouble,
    trouble.code === 'client_refused'
      ? 'a provider refuses this application: its client id or secret is not the right one'
      : 'a provider does not answer as it should',
  );
}
