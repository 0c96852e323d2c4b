import type { ManagementCtx } from '../context.ts';
import { AppError } from '../errors.ts';
import { deploymentPolicy } from '../outbound/deployment-policy.ts';
import { openResolver } from '../outbound/open-resolver.ts';

/**
 * A look-up takes at most one second. A host whose name cannot be resolved may be stored nevertheless, because the
 * address is checked again at every connection.
 */
const resolver = openResolver({ timeoutMs: 500 });

/** Throws pipeline_url_refused with the reason. `path` is where the URL is in the body of the request. */
export function refusePipelineUrl(path: string[], problem: string): never {
  throw new AppError('pipeline_url_refused', problem, {
    detail: [{ type: 'value_error', loc: ['body', ...path], msg: problem }],
  });
}

/** Throws pipeline_address_refused if the name resolves to an address to which this deployment may not send. */
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
