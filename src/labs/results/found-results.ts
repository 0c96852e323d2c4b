import type { Static } from 'typebox';
import type { OrderEventRow } from '../orders/load.ts';
import { partsOf } from '../orders/status/table.ts';
import type { KeptMissing, KeptResult, Withdrawn } from './kept-report.ts';
import type { LabResults, MissingResult } from './schemas.ts';

/** Results with what documents say of them beside their values; answers of operations leave it out. */
export type FoundResults = Omit<Static<typeof LabResults>, 'missing_results'> & {
  /** `is_withdrawn`: the laboratory has taken the value back. `is_held`: it is still to come. */
  missing_results: (Static<typeof MissingResult> & { is_withdrawn?: true; is_held?: true })[];
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

const TAKEN_BACK = 'The laboratory withdrew this value.';

/** What was taken back is missing, and says why: who has read the value learns that it is none. */
export const missingOf = ({ key, name, ...known }: Withdrawn): KeptMissing & { is_withdrawn: true } => {
  const slug = key.split('#')[0] as string;
  return {
    slug,
    loinc: null,
    loinc_slug: null,
    provider_id: null,
    source_markers: null,
    ...known,
    key,
    name: name ?? slug,
    inferred_failure_type: 'unknown_failure',
    note: TAKEN_BACK,
    history: [],
    is_withdrawn: true,
  };
};

export const namesOf = (withdrawn: readonly Withdrawn[]): string[] => [
  ...new Set(withdrawn.map(({ key, name }) => name ?? (key.split('#')[0] as string))),
];
