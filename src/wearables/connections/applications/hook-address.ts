import type { Config } from '../../../config/options.ts';
import { hookTokenOf } from '../../providers/notification-reader.ts';
import type { Configured } from './configured.ts';

/**
 * Returns the address for a provider's notifications. Returns null if no provider can reach this deployment, or if the
 * application is a team's own.
 */
export function hookAddress(config: Config, { connector, client, own }: Configured, signs: boolean): string | null {
  if (!isReachable(config) || own) return null;
  return hookBase(config, connector.slug) + (signs ? '' : `/${hookTokenOf(client.secret.reveal())}`);
}

/** Returns the beginning of the addresses to which a provider sends its notifications. */
export const hookBase = (config: Config, slug: string): string => `${config.baseUrl}/v2/hooks/${slug}`;

/** Whether a provider can reach this deployment. */
export const isReachable = ({ baseUrl }: Config): boolean => baseUrl.startsWith('https:');
