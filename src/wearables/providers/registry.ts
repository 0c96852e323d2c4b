// A provider is one folder and one line here. Everything else that lists providers is derived from this list.
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
import type { Notifier } from './notifier.ts';
import type { ApplicationSubscriber, UserSubscriber } from './subscriber.ts';

/** Every provider that the service can connect by itself, in the order in which people see them. */
const CONNECTED: readonly ConnectedProvider[] = [dexcomV3, googleHealth, oura, polar, strava, wahoo, whoopV2, withings];

const bySlug = new Map<string, ConnectedProvider>(CONNECTED.map((provider) => [provider.connector.slug, provider]));

export const CONNECTORS: readonly Connector[] = CONNECTED.map(({ connector }) => connector);

/** Null where the service cannot connect the provider. */
export const connectorOrNull = (slug: string): Connector | null => bySlug.get(slug)?.connector ?? null;

/** By the slug of the provider, also where no application is configured. */
export const IMPORTERS: Readonly<Record<string, Importer>> = Object.fromEntries(
  CONNECTED.map(({ connector, importer }) => [connector.slug, importer]),
);

/** Null where the provider sends no notifications. */
export const notifierOrNull = (slug: string): Notifier | null => bySlug.get(slug)?.notifier ?? null;

/** Every header that shows who sent a notification, of any provider. */
export const NOTIFIER_HEADERS: readonly string[] = CONNECTED.flatMap(({ notifier }) => notifier?.headers ?? []);

/** Providers that the service subscribes to once, for all users. */
export const APPLICATION_SUBSCRIBERS: readonly ApplicationSubscriber[] = CONNECTED.flatMap(
  ({ applicationSubscriber }) => applicationSubscriber ?? [],
);

/** Null where the provider is not subscribed to for each user. */
export const userSubscriberOrNull = (slug: string): UserSubscriber | null => bySlug.get(slug)?.userSubscriber ?? null;
