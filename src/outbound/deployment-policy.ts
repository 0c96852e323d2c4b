import type { Config } from '../config/options.ts';
import { addressPolicy, type AddressPolicy } from './address-policy.ts';

const policies = new WeakMap<Config, AddressPolicy>();

/**
 * Returns the address policy of this deployment. It applies when a customer saves a webhook, when we call the webhook,
 * and when we call providers.
 */
export function deploymentPolicy(config: Config): AddressPolicy {
  let policy = policies.get(config);
  if (!policy) {
    policy = addressPolicy({
      allowedNetworks: config.webhookAllowedNetworks,
      allowHttp: config.environment === 'sandbox',
    });
    policies.set(config, policy);
  }
  return policy;
}
