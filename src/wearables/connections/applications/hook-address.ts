import type { Config } from '../../../config/options.ts';
import { hookTokenOf } from '../../providers/notification-reader.ts';
import type { Configured } from './configured.ts';

/**
 * Returns the address to which a provider sends notifications. Returns null if no provider can reach this deployment.
 * Also returns null for a team's own application, because we receive no notifications of it.
 */
export function hookAddress(config: Config, { connector, client, own }: Configured, signs: boolean): string | null {
  if (!isReachable(config) || own) return null;
  return hookBase(config, connector.slug) + (signs ? '' : `/${hookTokenOf(client.secret.reveal())}`);
}

/** Returns the address for notifications of a provider, without the token that hookAddress may append. */
export const hookBase = (config: Config, slug: string): string => `${config.baseUrl}/v2/hooks/${slug}`;

/** Whether a provider can reach this deployment. */
export const isReachable = ({ baseUrl }: Config): boolean => baseUrl.startsWith('https:');
