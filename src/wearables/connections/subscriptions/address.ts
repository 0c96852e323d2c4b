import type { Config } from '../../../config/options.ts';
import { hookTokenOf } from '../../providers/notifier.ts';
import type { Configured } from '../applications/configured.ts';

/** Where a provider tells of news; null where no provider could reach it, or the application is a team's own. */
export function hookAddress(config: Config, { connector, client, own }: Configured, signs: boolean): string | null {
  if (!isReachable(config) || own) return null;
  return hookBase(config, connector.slug) + (signs ? '' : `/${hookTokenOf(client.secret.reveal())}`);
}

/** What all addresses of a provider's hook begin with here. */
export const hookBase = (config: Config, slug: string): string => `${config.baseUrl}/v2/hooks/${slug}`;

/** Whether a provider could reach this deployment. */
export const isReachable = ({ baseUrl }: Config): boolean => baseUrl.startsWith('https:');
