// What each provider's subscribe.ts fulfils: how the service subscribes to its notifications.
import type { ProviderSlug } from './catalogue.ts';

export type Question = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
};

/** Throws ProviderUnavailable or ProviderRefused for what is no answer. Of an answer that is no JSON it gives null. */
export type Ask = (question: Question) => Promise<unknown>;

/** Where news are to be told, what all addresses of ours begin with, and the token that shows that it is us who asked. */
type Here = { address: string; base: string; token: string };

/** A provider that is asked once for the news of everybody. */
export type ApplicationSubscriber = {
  provider: ProviderSlug;
  /** Whether it signs, so that its address needs no secret part. */
  signs: boolean;
  /**
   * Makes what is missing, renews what ends, and takes away what is ours and of another time. What comes back is the provider's
   * id of the one subscription by which its notifications are known; null: they are not.
   */
  keep: (ask: Ask, here: Here, client: { id: string; secret: string }) => Promise<string | null>;
};

/** A provider that is asked in the name of each user. */
export type UserSubscriber = {
  provider: ProviderSlug;
  signs: boolean;
  keep: (ask: Ask, here: Here, scopes: readonly string[] | null) => Promise<void>;
};

/** The objects of a list; none where it is none. */
export const objectsOf = (value: unknown): Readonly<Record<string, unknown>>[] =>
  (Array.isArray(value) ? value : []).filter((each) => typeof each === 'object' && each !== null);
