import type { DataAnswer, DataRequest } from '../provider.ts';
import type { Check, Values } from './checks.ts';

/** What a provider answers that nobody can have measured, and what is left of it. */
type OutOfBounds = {
  /** Answers by the ends of the addresses that they are to. */
  answers: Record<string, unknown>;
  summaries?: { path: string; expected: Record<string, unknown>[] };
  samples?: { name: string; expected: number[] };
};

/**
 * What a provider's interface is like, written out by hand from its public documentation: where it is asked for consent, for
 * tokens, for their end and for data, and by which parameters. The stand-in takes nothing else.
 */
export type DocumentedProvider = {
  /** All hosts that its folder names. */
  hosts: readonly string[];
  /** Days of the past that a new connection brings, as users of the interface know them. */
  historyDays: number;
  authorise: { path: string; query: Values };
  token: { path: string; client: 'body' | 'basic'; fields?: Values; renewal?: Values };
  calls: readonly (readonly [call: RegExp, check?: Check])[];
  /** The answers for a person with a night a day and a workout every second day. */
  play: (request: DataRequest) => DataAnswer | undefined;
  outOfBounds: readonly OutOfBounds[];
};
