import type { Connector } from './connector.ts';
import { dexcomV3 } from './dexcom-v3.ts';
import { googleHealth } from './google-health.ts';
import { oura } from './oura.ts';
import { polar } from './polar.ts';
import { strava } from './strava.ts';
import { wahoo } from './wahoo.ts';
import { whoopV2 } from './whoop-v2.ts';
import { withings } from './withings.ts';

/** Every provider that the service can connect by itself, in the order that people see them in. */
export const CONNECTORS: readonly Connector[] = [googleHealth, dexcomV3, oura, polar, strava, wahoo, whoopV2, withings];

/** The connector of a provider; null where the service has none. */
export const connectorOrNull = (provider: string): Connector | null =>
  CONNECTORS.find(({ slug }) => slug === provider) ?? null;
