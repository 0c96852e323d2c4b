import type { Config } from '../../../config/options.ts';

/**
 * `from_page` is true if the user came from the hosted page and goes back there. `step` is the step after the first
 * page.
 */
type DemoPageLink = { provider: string; token: string; from_page: boolean; step: 'code' | null };

/** Returns the address of the page of a provider that the sandbox simulates. */
export const demoPageUrl = (
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { provider, token, from_page, step }: DemoPageLink,
): string =>
  `${baseUrl}/link/demo/${provider}?token=${token}${from_page ? '&page=1' : ''}${step === null ? '' : `&step=${step}`}`;
