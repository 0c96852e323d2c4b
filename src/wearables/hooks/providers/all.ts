import type { Hook } from '../hook.ts';
import { googleHealth } from './google-health.ts';
import { oura } from './oura.ts';
import { polar } from './polar.ts';
import { strava } from './strava.ts';
import { wahoo } from './wahoo.ts';
import { whoopV2 } from './whoop-v2.ts';
import { withings } from './withings.ts';

/** Every provider that tells of news by itself. Dexcom does not: it is polled. */
const HOOKS: Readonly<Record<string, Hook>> = {
  google_health: googleHealth,
  oura,
  polar,
  strava,
  wahoo,
  whoop_v2: whoopV2,
  withings,
};

/** All that shows who has sent a notification of any provider. */
export const HOOK_HEADERS = Object.values(HOOKS).flatMap(({ headers }) => headers);

export const hookOrNull = (provider: string): Hook | null =>
  Object.hasOwn(HOOKS, provider) ? (HOOKS[provider] as Hook) : null;
