import type { Config } from '../config/options.ts';
import { AppError } from '../errors.ts';
import { addressPolicy, type AddressPolicy } from '../delivery/sending/address-policy.ts';

const policies = new WeakMap<Config, AddressPolicy>();

/** Where this deployment sends webhooks to: one policy for saving a URL and for calling it. */
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

/** Throws webhook_url_refused with the reason when a delivery to `url` would be refused. */
export function refuseUrl(config: Config, url: string): void {
  const problem = deploymentPolicy(config).checkUrl(url);
  if (problem !== null) throw new AppError('webhook_url_refused', problem);
}
