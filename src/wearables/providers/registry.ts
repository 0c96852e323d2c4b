// The providers that Phial can connect. CONTRIBUTING.md says what a new provider needs besides a line here.
import { dexcomV3 } from './dexcom-v3/provider.ts';
import { googleHealth } from './google-health/provider.ts';
import { oura } from './oura/provider.ts';
import { polar } from './polar/provider.ts';
import { strava } from './strava/provider.ts';
import { wahoo } from './wahoo/provider.ts';
import { whoopV2 } from './whoop-v2/provider.ts';
import { withings } from './withings/provider.ts';
import type { ConnectedProvider } from './connected-provider.ts';
import type { Connector } from './connector.ts';
import type { Importer } from './importer.ts';
import type { NotificationReader } from './notification-reader.ts';
import type { ApplicationSubscriber, UserSubscriber } from './subscriber.ts';

/** Every provider that Phial can connect directly, in the order that pages and lists show. */
const CONNECTED: readonly ConnectedProvider[] = [dexcomV3, googleHealth, oura, polar, strava, wahoo, whoopV2, withings];

const bySlug = new Map<string, ConnectedProvider>(CONNECTED.map((provider) => [provider.connector.slug, provider]));

export const CONNECTORS: readonly Connector[] = CONNECTED.map(({ connector }) => connector);

/** Returns the connector of a provider; null if Phial cannot connect the provider. */
export const connectorOrNull = (slug: string): Connector | null => bySlug.get(slug)?.connector ?? null;

/** The importers by the slug of the provider, whether or not this deployment has an application there. */
export const IMPORTERS: Readonly<Record<string, Importer>> = Object.fromEntries(
  CONNECTED.map(({ connector, importer }) => [connector.slug, importer]),
);

/** Returns the notification reader of a provider; null if the provider sends no notifications. */
export const notificationReaderOrNull = (slug: string): NotificationReader | null =>
  bySlug.get(slug)?.notificationReader ?? null;

/** The headers of all providers that prove who sent a notification. */
export const NOTIFICATION_HEADERS: readonly string[] = CONNECTED.flatMap(
  ({ notificationReader }) => notificationReader?.headers ?? [],
);

/** The subscribers of those providers that have one subscription for all users. */
export const APPLICATION_SUBSCRIBERS: readonly ApplicationSubscriber[] = CONNECTED.flatMap(
  ({ applicationSubscriber }) => applicationSubscriber ?? [],
);

/** Returns the subscriber of a provider that has one subscription for each user; null for any other provider. */
export const userSubscriberOrNull = (slug: string): UserSubscriber | null => bySlug.get(slug)?.userSubscriber ?? null;
