import type { Interpretation } from '../../results/interpretation/interpret.ts';
import type { Observation } from '../../results/lab-report.ts';

/** A simulated value that is not part of a report yet. */
export type Value = Pick<
  Observation,
  'analyte_slug' | 'loinc' | 'code' | 'name' | 'kind' | 'text' | 'unit' | 'reference_range' | 'flags'
>;

/** Flags of HL7 table 0078 that a laboratory would send. The last one maps to no known interpretation. */
export const FLAGS: Record<Interpretation, string> = { normal: 'N', abnormal: 'A', critical: 'AA', unknown: 'IND' };
