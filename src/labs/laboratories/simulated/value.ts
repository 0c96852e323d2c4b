import type { Interpretation } from '../../results/interpretation/interpret.ts';
import type { Observation } from '../../results/report.ts';

/** A made-up value, before it belongs to a report. */
export type Value = Pick<
  Observation,
  'analyte_slug' | 'loinc' | 'code' | 'name' | 'kind' | 'text' | 'unit' | 'reference_range' | 'flags'
>;

/** Flags of HL7 table 0078 as a laboratory would send them; the last stands for nothing that is known. */
export const FLAGS: Record<Interpretation, string> = { normal: 'N', abnormal: 'A', critical: 'AA', unknown: 'IND' };
