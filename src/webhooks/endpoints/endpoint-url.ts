import { ownerOf } from '../../fair/round-robin.ts';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { deploymentPolicy } from '../../outbound/deployment-policy.ts';
import { openResolver } from '../../outbound/open-resolver.ts';
import { isDemoEndpoint } from '../demo-endpoint/address.ts';

/**
 * Resolves the host names of new URLs. A look-up takes at most one second. If it fails, we store the URL nevertheless,
 * because we check the address again before every connection.
 */
const resolver = openResolver({ timeoutMs: 500 });

/**
 * Throws webhook_url_refused with the reason if we would send nothing to `url`. It checks only the text of the URL.
 * `path` is the position of the URL in the request, for the error.
 */
export function refuseUrl({ config }: TeamCtx, url: string, path: string[] = ['body', 'url']): void {
  const problem = problemOfOurOwn(config, url) ?? deploymentPolicy(config).checkUrl(url);
  if (problem === null) return;
  throw new AppError('webhook_url_refused', problem, { detail: [{ type: 'value_error', loc: path, msg: problem }] });
}

/**
 * Throws webhook_address_refused if the host name of `url` resolves to an address to which this deployment may not
 * send.
 */
export async function refuseAddressOf({ config, team }: TeamCtx, url: string): Promise<void> {
  const policy = deploymentPolicy(config);
  const hostname = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolver.lookup(ownerOf(team), hostname).catch(() => []);
  if (addresses.some(({ address }) => !policy.isAllowed(address))) {
    throw new AppError(
      'webhook_address_refused',
      'The name of the url leads to a private, local or reserved address, which this deployment does not send to.',
    );
  }
}

/**
 * Returns a problem if the URL is one of this service. A delivery to ourselves could cause another delivery, and so on
 * without end. The receiver of a sandbox's demo clinic causes none.
 */
function problemOfOurOwn(config: TeamCtx['config'], url: string): string | null {
  const given = new URL(url);
  const isOurs = given.host === new URL(config.baseUrl).host && !isDemoEndpoint(config, given);
  return isOurs ? 'The url is that of this service itself.' : null;
}
