import type { Logger } from '../../../log.ts';
import type { Configured } from './configured.ts';

/**
 * In an outage, every connection to the provider fails in the same way. So we log the same outage again only after this
 * time.
 */
const LOG_INTERVAL_MS = 10 * 60_000;
const loggedAt = new Map<string, number>();

/**
 * Returns the id of the team that owns an application, as a field of a log line; no field for this deployment's
 * application.
 */
export const ownerOf = ({ own }: Configured): { team_id?: string } => (own ? { team_id: own.team_id } : {});

/**
 * Writes one log line for the operator for each outage. An outage means that a provider cannot be reached, or that it
 * refuses the application of this deployment or of a team. `code` names no user.
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
