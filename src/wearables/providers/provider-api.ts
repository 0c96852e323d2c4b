// The requests that importers send to a provider, and the properties of each provider's API.
import type { ProviderSlug } from './provider-catalogue.ts';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The properties of a provider's API. */
export type ProviderApi = {
  slug: ProviderSlug;
  /** Returns the status of a response, if the HTTP status does not have it. */
  statusOf?: (status: number, response: unknown) => number;
  /**
   * Returns how long we must not send requests for an application or a team, according to a response. If this function
   * is missing, a refusal only affects the connection of the request.
   */
  waitsOf?: (status: number, headers: Headers) => ProviderWaits;
};

export type Question = {
  /** The address without the parameters of `query`. */
  url: string;
  query?: Readonly<Record<string, string | number | null>>;
  /** The fields of a POST. If they are missing, the request is a GET. */
  form?: Readonly<Record<string, string | number | null>>;
  json?: unknown;
  /** Set if a response with status 404 means that there is no data. */
  mayBeMissing?: true;
};

/**
 * The seconds in which we must not send requests; 0 if requests are allowed. Pulls of the past begin to wait before
 * polls do.
 */
export type Wait = { pollsSeconds: number; pastSeconds: number };

/**
 * The waits of an application and of a team. All teams wait only if the response shows that the application has used up
 * its limit.
 */
export type ProviderWaits = { application: Wait | null; team: Wait | null };
