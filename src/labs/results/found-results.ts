import type { Static } from 'typebox';
import type { OrderEventRow } from '../orders/load-order.ts';
import { partsOf } from '../orders/status/statuses.ts';
import type { StoredMissingResult, StoredResult, Withdrawn } from './stored-report.ts';
import type { LabResults, MissingResult } from './schemas.ts';

/** Results with more facts, which only our documents show. Responses of operations omit these facts. */
export type FoundResults = Omit<Static<typeof LabResults>, 'missing_results'> & {
  /**
   * `is_withdrawn`: the laboratory withdrew the value. `is_held`: we still expect the value, because the laboratory
   * waits for information about the sample.
   */
  missing_results: (Static<typeof MissingResult> & { is_withdrawn?: true; is_held?: true })[];
  /**
   * True if the report replaces one that somebody may have read. The US rules for laboratory reports (42 CFR
   * 493.1291(k)) require us to mark such a report.
   */
  is_corrected: boolean;
  /** The names of tests whose values the laboratory withdrew. */
  withdrawn: string[];
};

type ReportContent = { results: readonly Pick<StoredResult, 'status'>[]; withdrawn: readonly Withdrawn[] };

/**
 * Returns whether a report is corrected: a value has changed, a value was withdrawn, or the laboratory corrected the
 * order after it was complete.
 */
export const isCorrected = ({ results, withdrawn }: ReportContent, events: readonly OrderEventRow[]): boolean =>
  withdrawn.length > 0 ||
  results.some(({ status }) => status === 'corrected') ||
  events.some(({ status }) => partsOf(status).low === 'corrected');

const TAKEN_BACK = 'The laboratory withdrew this value.';

/**
 * Returns the entry for a withdrawn value in the list of missing results. A person may have read the value before, so
 * the note of the entry says that the laboratory withdrew the value.
 */
export const missingOf = ({ key, name, ...known }: Withdrawn): StoredMissingResult & { is_withdrawn: true } => {
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
