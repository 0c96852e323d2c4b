import type { FailureType } from '../lab-report.ts';

/**
 * Words and abbreviations with which laboratories state why there is no value. The first match decides, so more exact
 * words come first.
 */
const WORDS: [RegExp, FailureType][] = [
  [/\binsufficient volume\b|\blow volume\b/i, 'insufficient_volume'],
  [
    /\bQNS\b|\bquantity not sufficient\b|\binsufficient (?:quantity|sample|specimen)\b/i,
    'quantity_not_sufficient_failure',
  ],
  [
    /\bha?emoly[sz]|\bclotted\b|\bcontaminat|\bmislabel|\bNSPR\b|\bimproper(?:ly)? collect|\bwrong (?:tube|container)\b/i,
    'collection_process_failure',
  ],
  [/\btoo old\b|\bexpired\b|\bstability\b|\bimproper storage\b|\blost in transit\b/i, 'drop_off_failure'],
  [/\blab(?:oratory)? (?:accident|error)\b|\binstrument\b/i, 'internal_lab_failure'],
  [/\border(?:ed|ing)? (?:entry )?error\b|\bnot ordered\b|\bduplicate order\b/i, 'order_entry_failure'],
  [/\blipemi[ca]|\bicteri[ca]|\binterfer/i, 'patient_condition_failure'],
  [/\b(?:unable|cannot|not able) (?:to )?(?:be )?calculate|\bcalculation\b/i, 'missing_result_calc_failure'],
];

/**
 * Derives from the laboratory's text why there is no value. Returns 'unknown_failure' if the text contains none of
 * these words.
 */
export function failureTypeOf(text: string, notes: string | null): FailureType {
  const said = `${text} ${notes ?? ''}`.slice(0, 2_000);
  return WORDS.find(([words]) => words.test(said))?.[1] ?? 'unknown_failure';
}
