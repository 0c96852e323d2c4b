import type { Config } from '../config/options.ts';
import { addressPolicy, type AddressPolicy } from './address-policy.ts';

const policies = new WeakMap<Config, AddressPolicy>();

/** Where this deployment sends requests to: one policy for saving a webhook's URL, for calling it, and for providers. */
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
