import type { Config } from '../../../config/options.ts';

/** `from_page`: the user came from the hosted page, and goes back there. `step`: what the provider asks for beside the first page. */
type Opening = { provider: string; token: string; from_page: boolean; step: 'code' | null };

/** The page of a provider that the sandbox plays. */
export const demoPageUrl = (
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { provider, token, from_page, step }: Opening,
): string =>
  `${baseUrl}/link/demo/${provider}?token=${token}${from_page ? '&page=1' : ''}${step === null ? '' : `&step=${step}`}`;
