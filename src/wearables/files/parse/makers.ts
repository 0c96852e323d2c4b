import type { ProviderSlug } from '../../providers/catalogue.ts';

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

/** The provider whose device or program a file names as its maker; `manual` of what nobody knows. */
export function providerOf(maker: string): ProviderSlug {
  const words = maker.toLowerCase();
  return PROVIDERS.find(([known]) => known.test(words))?.[1] ?? 'manual';
}
