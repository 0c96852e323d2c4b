import { ownerOf } from '../../fair/round-robin.ts';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { deploymentPolicy } from '../../outbound/deployment-policy.ts';
import { openResolver } from '../../outbound/resolve.ts';

/** One second at most: a name that nobody answers for yet may be saved, and every connection is vetted again. */
const resolver = openResolver({ timeoutMs: 500 });

/**
 * Throws webhook_url_refused with the reason where `url` itself shows that a delivery would be refused. `place` is what of the
 * request brought it.
 */
export function refuseUrl({ config }: TeamCtx, url: string, place: string[] = ['body', 'url']): void {
  const problem = problemOfOurOwn(config.baseUrl, url) ?? deploymentPolicy(config).checkUrl(url);
  if (problem === null) return;
  throw new AppError('webhook_url_refused', problem, { detail: [{ type: 'value_error', loc: place, msg: problem }] });
}

/** Throws webhook_address_refused where the name of `url` leads to an address that this deployment does not send to. */
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

/** A delivery that asks this service for something could make the next one, without end. */
const problemOfOurOwn = (baseUrl: string, url: string): string | null =>
  new URL(url).host === new URL(baseUrl).host ? 'The url is that of this service itself.' : null;
