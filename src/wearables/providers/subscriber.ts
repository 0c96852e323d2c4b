// The type of each provider's subscribe.ts: how Phial subscribes to the provider's notifications.
import type { ProviderSlug } from './provider-catalogue.ts';

export type Question = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
};

/**
 * Sends a request to the provider. Throws ProviderUnavailable or ProviderRefused if the status of the response is no
 * success. Returns null if the body is not JSON.
 */
export type Ask = (question: Question) => Promise<unknown>;

/**
 * The address for notifications, the beginning of all our addresses for this provider, and the token that proves that
 * we have subscribed.
 */
type Here = { address: string; base: string; token: string };

/** A provider that has one subscription for all users. */
export type ApplicationSubscriber = {
  provider: ProviderSlug;
  /** Whether the provider signs its notifications. If it does, its address needs no secret part. */
  signs: boolean;
  /**
   * Makes missing subscriptions, renews those that will expire soon, and removes our own outdated ones. Returns the
   * provider's id of the subscription, if notifications name it; null if they name none.
   */
  ensure: (ask: Ask, here: Here, client: { id: string; secret: string }) => Promise<string | null>;
};

/** A provider that has a subscription for each user. */
export type UserSubscriber = {
  provider: ProviderSlug;
  signs: boolean;
  ensure: (ask: Ask, here: Here, scopes: readonly string[] | null) => Promise<void>;
};

/** Returns the objects of a list; an empty list if the value is not a list. */
export const objectsOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  (Array.isArray(value) ? value : []).filter((each) => typeof each === 'object' && each !== null);
