import type { ProviderSlug } from '../../providers/provider-catalogue.ts';

const PROVIDERS: [RegExp, ProviderSlug][] = [
  [/garmin|forerunner|fenix|edge|vivo|venu/, 'garmin'],
  [/wahoo|elemnt/, 'wahoo'],
  [/polar/, 'polar'],
  [/zwift/, 'zwift'],
  [/hammerhead|karoo/, 'hammerhead'],
  [/peloton/, 'peloton'],
  [/strava/, 'strava'],
  [/runkeeper/, 'runkeeper'],
  [/withings/, 'withings'],
];

/**
 * Returns the provider that made the file, by the name of the device or program in the file; `manual` if no provider is
 * known for the name.
 */
export function providerOf(maker: string): ProviderSlug {
  const words = maker.toLowerCase();
  return PROVIDERS.find(([known]) => known.test(words))?.[1] ?? 'manual';
}
