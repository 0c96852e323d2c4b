import type { Config } from '../../config/options.ts';
import { resourceAvailability } from '../connections/availability.ts';
import { configuredOrNull } from '../connections/providers/configured.ts';
import { DEMO_PULLERS } from './demo/pullers.ts';
import type { Puller } from './puller.ts';
import { dexcomV3 } from './providers/dexcom-v3.ts';
import { googleHealth } from './providers/google-health.ts';
import { oura } from './providers/oura.ts';
import { polar } from './providers/polar/polar.ts';
import { strava } from './providers/strava.ts';
import { wahoo } from './providers/wahoo.ts';
import { whoopV2 } from './providers/whoop-v2.ts';
import { withings } from './providers/withings.ts';
import { ownOf } from '../../wire/own.ts';

/** By the slug of the provider, also where it is not configured. */
export const PULLERS: Readonly<Record<string, Puller>> = {
  dexcom_v3: dexcomV3,
  google_health: googleHealth,
  oura,
  polar,
  strava,
  wahoo,
  whoop_v2: whoopV2,
  withings,
};

/** How data of a connection is fetched; null where nothing is, as of a phone, which sends by itself. */
export function pullerOrNull(
  { config }: { config: Config },
  { provider, demo, credential_id }: { provider: string; demo: boolean; credential_id: string | null },
): Puller | null {
  if (demo) return ownOf(DEMO_PULLERS, provider) ?? null;
  const hasApplication = credential_id !== null || configuredOrNull(config, provider) !== null;
  return hasApplication ? (ownOf(PULLERS, provider) ?? null) : null;
}

/** What of it a connection brings: everything but what its user has not granted. */
export function grantedResources(
  puller: Puller,
  { provider, demo, granted_scopes }: { provider: string; demo: boolean; granted_scopes: readonly string[] | null },
): string[] {
  const all = Object.keys(puller.resources);
  if (demo) return all;
  const availability = resourceAvailability(provider, granted_scopes);
  return all.filter((resource) => availability[resource]?.status !== 'unavailable');
}
