import type { Config } from '../../../config/options.ts';
import type { ProviderClient } from '../../../config/provider-options.ts';
import { PROVIDERS, type ProviderSlug } from '../../providers.ts';
import { CONNECTORS, connectorOrNull } from './all.ts';
import type { Connector } from './connector.ts';

/** A provider with the application that this deployment has there. */
export type Configured = { connector: Connector; client: ProviderClient };

/** The provider as it is configured here; null where it cannot be connected. */
export function configuredOrNull(config: Config, provider: string): Configured | null {
  const connector = connectorOrNull(provider);
  const client = Object.hasOwn(config.providers, provider) ? config.providers[provider] : undefined;
  return connector && client ? { connector, client } : null;
}

/** Days of the past that a new connection brings here. */
export const historyDaysOf = ({ providers }: Config, provider: ProviderSlug): number =>
  (Object.hasOwn(providers, provider) ? providers[provider]?.historyDays : null) ?? PROVIDERS[provider].history_days;

/** Every provider that can be connected here. */
export const configuredProviders = (config: Config): Configured[] =>
  CONNECTORS.flatMap(({ slug }) => configuredOrNull(config, slug) ?? []);

/** An address of the provider as it is reached here: of its own region, or of what stands for it. */
export function addressAt(config: Config, { connector, client }: Configured, url: string): string {
  const { pathname, search, origin } = new URL(url);
  const usual = config.region === 'eu' ? (connector.eu_origin ?? origin) : origin;
  return `${client.baseUrl ?? usual}${pathname}${search}`;
}
