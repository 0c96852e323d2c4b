// How importers ask a provider: what a question is, and what is particular to the provider's interface.
import type { ProviderSlug } from './catalogue.ts';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What of a provider's interface is like no other's. */
export type ProviderApi = {
  slug: ProviderSlug;
  /** The status of an answer, where it does not stand where HTTP has it. */
  statusOf?: (status: number, answer: unknown) => number;
  /** What an answer tells of who may not ask for how long. Left out, a refusal is its connection's own affair. */
  holdOf?: (status: number, headers: Headers) => Hold;
};

export type Question = {
  /** Without what `query` says. */
  url: string;
  query?: Readonly<Record<string, string | number | null>>;
  /** A POST; left out, it is a GET. */
  form?: Readonly<Record<string, string | number | null>>;
  json?: unknown;
  /** 404 is an answer: there is nothing. */
  mayBeMissing?: true;
};

/** Seconds from now for which nothing is asked; 0: it may be. Pulls of the past begin to wait before the rest does. */
export type Wait = { pollsSeconds: number; pastSeconds: number };

/** Whom an answer keeps waiting: all teams only where it shows that the application has used up what it may ask. */
export type Hold = { application: Wait | null; team: Wait | null };
