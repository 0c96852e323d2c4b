import type { Config } from '../../../config/options.ts';
import type { ProviderClient } from '../../../config/provider-options.ts';
import { PROVIDERS, type ProviderSlug } from '../../providers/provider-catalogue.ts';
import { connectorOrNull } from '../../providers/registry.ts';
import type { Connector } from '../../providers/connector.ts';

/** The details of an application that a team has registered itself. */
export type OwnApplication = {
  team_id: string;
  credential_id: string;
  /** The team's address to which the provider sends users back after they agreed; null if they return to Phial. */
  redirect_url: string | null;
};

/**
 * A provider, with the OAuth application that is registered there. The application belongs to this deployment or to a
 * team.
 */
export type Configured = { connector: Connector; client: ProviderClient; own: OwnApplication | null };

/** Returns the provider with this deployment's application; null if the deployment has none. */
export function configuredOrNull(config: Config, provider: string): Configured | null {
  const connector = connectorOrNull(provider);
  const client = Object.hasOwn(config.providers, provider) ? config.providers[provider] : undefined;
  return connector && client ? { connector, client, own: null } : null;
}

/** Returns how many days of past data a new connection imports in this deployment. */
export const historyDaysOf = ({ providerSettings }: Config, provider: ProviderSlug): number =>
  providerSettings[provider]?.historyDays ?? PROVIDERS[provider].history_days;

/**
 * Returns the address of a provider for this deployment. This is the address of the deployment's region, or of the
 * stand-in (for tests) that the configuration names.
 */
export function addressAt(config: Config, { connector }: Pick<Configured, 'connector'>, url: string): string {
  const { pathname, search, origin } = new URL(url);
  const usual = config.region === 'eu' ? (connector.eu_origin ?? origin) : origin;
  return `${config.providerSettings[connector.slug]?.baseUrl ?? usual}${pathname}${search}`;
}
