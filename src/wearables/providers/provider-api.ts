// How importers send requests to a provider, and what differs between the APIs of providers.
import type { ProviderSlug } from './provider-catalogue.ts';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The properties of a provider's API. */
export type ProviderApi = {
  slug: ProviderSlug;
  /**
   * Returns the HTTP status that a response stands for. Missing if the provider uses HTTP statuses in the usual way.
   */
  statusOf?: (status: number, response: unknown) => number;
  /**
   * Returns how long, according to a response, no more requests may be sent for an application or a team. Missing if a
   * refusal only concerns the connection that asked.
   */
  waitsOf?: (status: number, headers: Headers) => ProviderWaits;
};

export type Question = {
  /** The address without the parameters of `query`. */
  url: string;
  query?: Readonly<Record<string, string | number | null>>;
  /** The fields of a POST as a form. Without `form` and `json`, the request is a GET. */
  form?: Readonly<Record<string, string | number | null>>;
  json?: unknown;
  /** Set if status 404 means that there is no data. */
  mayBeMissing?: true;
};

/**
 * For how many seconds we must send no requests; 0 if we may send them. Pulls of the past stop earlier than polls, so
 * that requests are left for the polls.
 */
export type Wait = { pollsSeconds: number; pastSeconds: number };

/**
 * The waits of an application and of one team. All teams wait only if the response shows that the application has used
 * up its limit.
 */
export type ProviderWaits = { application: Wait | null; team: Wait | null };
