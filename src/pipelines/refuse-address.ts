import type { ManagementCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import { deploymentPolicy } from '../outbound/deployment-policy.ts';
import { openResolver } from '../outbound/resolve.ts';

/** One second at most: a name that nobody answers for yet may be saved, and every connection is vetted again. */
const resolver = openResolver({ timeoutMs: 500 });

/** Throws pipeline_url_refused, with the place in the body and the reason. */
export function refusePipelineUrl(place: string[], problem: string): never {
  throw new AppError('pipeline_url_refused', problem, {
    detail: [{ type: 'value_error', loc: ['body', ...place], msg: problem }],
  });
}

/** Throws pipeline_address_refused where the name leads to an address that this deployment does not send to. */
export async function refuseHost({ config, org }: ManagementCtx, hostname: string): Promise<void> {
  const policy = deploymentPolicy(config);
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolver.lookup({ org: org.id, team: org.id }, host).catch(() => []);
  if (addresses.every(({ address }) => policy.isAllowed(address))) return;
  throw new AppError(
    'pipeline_address_refused',
    'The name leads to a private, local or reserved address, which this deployment does not send to.',
  );
}
