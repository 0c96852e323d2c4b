// What each provider's subscribe.ts has: how Phial subscribes to the provider's notifications.
import type { ProviderSlug } from './provider-catalogue.ts';

export type Question = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
};

/**
 * Sends a request to the provider. Returns the JSON of the response; null if the body is not JSON. Throws
 * ProviderUnavailable if a later try may succeed, and ProviderRefused if the provider would refuse again.
 */
export type Ask = (question: Question) => Promise<unknown>;

/**
 * `address` is our address for the provider's notifications, and `base` is how all our addresses for this provider
 * begin. `token` proves that we made a subscription.
 */
type Here = { address: string; base: string; token: string };

/** Subscribes to a provider that has one subscription for all users. */
export type ApplicationSubscriber = {
  provider: ProviderSlug;
  /** Whether the provider signs its notifications. If not, the address contains a secret. */
  signs: boolean;
  /**
   * Makes missing subscriptions, renews those that will expire soon, and removes old ones of ours. Returns the
   * provider's id of the subscription; null if notifications do not name it.
   */
  ensure: (ask: Ask, here: Here, client: { id: string; secret: string }) => Promise<string | null>;
};

/** Subscribes to a provider that has a subscription for each user. */
export type UserSubscriber = {
  provider: ProviderSlug;
  signs: boolean;
  ensure: (ask: Ask, here: Here, scopes: readonly string[] | null) => Promise<void>;
};

/** Returns the objects of a list; an empty list if the value is not a list. */
export const objectsOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  (Array.isArray(value) ? value : []).filter((each) => typeof each === 'object' && each !== null);
