import { googleHealth } from './google-health.ts';
import { dexcomV3 } from './dexcom-v3.ts';
import { oura } from './oura.ts';
import { polar } from './polar.ts';
import { strava } from './strava.ts';
import { wahoo } from './wahoo.ts';
import { whoopV2 } from './whoop-v2.ts';
import { withings } from './withings.ts';
import type { DocumentedProvider } from './documented.ts';

/** By the slug of the provider. */
export const DOCUMENTED: Readonly<Record<string, DocumentedProvider>> = {
  dexcom_v3: dexcomV3,
  google_health: googleHealth,
  oura,
  polar,
  strava,
  wahoo,
  whoop_v2: whoopV2,
  withings,
};
