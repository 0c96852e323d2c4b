import type { DataResponse, DataRequest } from '../provider.ts';
import type { Check, Values } from './checks.ts';

/** An answer of a provider with impossible values, and what is stored of it. */
type OutOfBounds = {
  /** Answers by the ends of their addresses. */
  responses: Record<string, unknown>;
  summaries?: { path: string; expected: Record<string, unknown>[] };
  samples?: { name: string; expected: number[] };
};

/**
 * A provider's API, written by hand from its public documentation: the addresses for consent, tokens, revocation and
 * data, each with its parameters. The stand-in accepts nothing else.
 */
export type DocumentedProvider = {
  /** All hosts that the provider's folder names. */
  hosts: readonly string[];
  /** Days of the past that a new connection brings by default. */
  historyDays: number;
  authorise: { path: string; query: Values };
  token: { path: string; client: 'body' | 'basic'; fields?: Values; renewal?: Values };
  calls: readonly (readonly [call: RegExp, check?: Check])[];
  /** The answers for a person with a night a day and a workout every second day. */
  play: (request: DataRequest) => DataResponse | undefined;
  outOfBounds: readonly OutOfBounds[];
};
