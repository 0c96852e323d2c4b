import type { Config } from '../../../config/options.ts';
import type { ProviderClient } from '../../../config/provider-options.ts';
import { PROVIDERS, type ProviderSlug } from '../../providers/catalogue.ts';
import { connectorOrNull } from '../../providers/registry.ts';
import type { Connector } from '../../providers/connector.ts';

/** What there is to know of an application that is a team's own. */
export type OwnApplication = {
  team_id: string;
  credential_id: string;
  /** Where the provider sends users back to in the place of our address; null: to ours. */
  redirect_url: string | null;
};

/** A provider with an application there: this deployment's, or a team's own. */
export type Configured = { connector: Connector; client: ProviderClient; own: OwnApplication | null };

/** The provider with the application of this deployment; null where it has none. */
export function configuredOrNull(config: Config, provider: string): Configured | null {
  const connector = connectorOrNull(provider);
  const client = Object.hasOwn(config.providers, provider) ? config.providers[provider] : undefined;
  return connector && client ? { connector, client, own: null } : null;
}

/** Days of the past that a new connection brings here. */
export const historyDaysOf = ({ providerSettings }: Config, provider: ProviderSlug): number =>
  providerSettings[provider]?.historyDays ?? PROVIDERS[provider].history_days;

/** An address of the provider as it is reached here: of its own region, or of what stands for it. */
export function addressAt(config: Config, { connector }: Pick<Configured, 'connector'>, url: string): string {
  const { pathname, search, origin } = new URL(url);
  const usual = config.region === 'eu' ? (connector.eu_origin ?? origin) : origin;
  return `${config.providerSettings[connector.slug]?.baseUrl ?? usual}${pathname}${search}`;
}
