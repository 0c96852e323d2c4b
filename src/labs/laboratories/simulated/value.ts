import type { Interpretation } from '../../results/interpretation/interpret.ts';
import type { Observation } from '../../results/lab-report.ts';

/** A simulated value that is not part of a report yet. */
export type Value = Pick<
  Observation,
  'analyte_slug' | 'loinc' | 'code' | 'name' | 'kind' | 'text' | 'unit' | 'reference_range' | 'flags'
>;

/**
 * The flag of HL7 table 0078 that a laboratory would send for each interpretation. The flag for `unknown` is one that
 * has no interpretation in Phial.
 */
export const FLAGS: Record<Interpretation, string> = { normal: 'N', abnormal: 'A', critical: 'AA', unknown: 'IND' };
