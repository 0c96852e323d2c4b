import type { Logger } from '../../../log.ts';
import type { Configured } from './configured.ts';

/** We log the same outage again only after this time, because every connection to the provider meets it. */
const LOG_INTERVAL_MS = 10 * 60_000;
const loggedAt = new Map<string, number>();

/** Returns the id of the team that owns an application; no id for this deployment's own application. */
export const ownerOf = ({ own }: Configured): { team_id?: string } => (own ? { team_id: own.team_id } : {});

/**
 * Writes one log line for the operator for each outage. In an outage a provider cannot be reached, or it refuses the
 * application of this deployment or of a team. `code` names no user.
 */
export function logOutage(log: Logger, trouble: { provider: string; code: string; team_id?: string }): void {
  const key = `${trouble.provider} ${trouble.code} ${trouble.team_id ?? ''}`;
  const now = performance.now();
  if (now - (loggedAt.get(key) ?? -Infinity) < LOG_INTERVAL_MS) return;
  loggedAt.set(key, now);
  log.warn(
    trouble,
    trouble.code === 'client_refused'
      ? 'a provider refuses this application: its client id or secret is not the right one'
      : 'a provider does not answer as it should',
  );
}
