import type { Static } from 'typebox';
import type { OrderEventRow } from '../orders/load.ts';
import { partsOf } from '../orders/status/table.ts';
import type { KeptResult, Withdrawn } from './kept-report.ts';
import type { LabResults } from './schemas.ts';

/** Results with what documents say of them beside their values; answers of operations leave it out. */
export type FoundResults = Static<typeof LabResults> & {
  /** It replaces a report that somebody may hold: 42 CFR 493.1291(k). */
  is_corrected: boolean;
  /** Names of tests whose values the laboratory took back. */
  withdrawn: string[];
};

type Told = { results: readonly Pick<KeptResult, 'status'>[]; withdrawn: readonly Withdrawn[] };

/** A value is another, one is gone, or the order went on after it was complete. */
export const isCorrected = ({ results, withdrawn }: Told, events: readonly OrderEventRow[]): boolean =>
  withdrawn.length > 0 ||
  results.some(({ status }) => status === 'corrected') ||
  events.some(({ status }) => partsOf(status).low === 'corrected');

export const namesOf = (withdrawn: readonly Withdrawn[]): string[] => [
  ...new Set(withdrawn.map(({ key, name }) => name ?? (key.split('#')[0] as string))),
];
