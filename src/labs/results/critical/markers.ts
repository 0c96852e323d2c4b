import type { Static } from 'typebox';
import { interpret } from '../interpretation/interpret.ts';
import { readValue } from '../interpretation/read-value.ts';
import type { LabReport } from '../lab-report.ts';
import type { StoredResult } from '../stored-report.ts';
import type { CriticalMarker as CriticalMarkerSchema } from './schemas.ts';

export type CriticalMarker = Static<typeof CriticalMarkerSchema>;

/** Returns the critical values of an order's report. */
export const criticalMarkersOf = (results: readonly StoredResult[]): CriticalMarker[] =>
  results
    .filter(({ interpretation }) => interpretation === 'critical')
    .map(({ name, slug, loinc, result, unit, reference_range, source_interpretation }) => ({
      name,
      slug,
      loinc,
      result,
      unit,
      reference_range,
      source_interpretation: source_interpretation === '' ? null : source_interpretation,
    }));

/** Returns the critical values of a report that waits for a person, because its order has ended. */
export const criticalMarkersOfReport = ({ observations }: LabReport): CriticalMarker[] =>
  observations.flatMap((observation) => {
    const { kind, text, unit, status, name, analyte_slug, loinc, reference_range, flags } = observation;
    if (status === 'withdrawn' || status === 'not_obtained') return [];
    const { result } = readValue(kind, text, unit);
    const { interpretation } = interpret({ ...observation, result, final: status !== 'partial' });
    if (interpretation !== 'critical') return [];
    const source_interpretation = flags.length === 0 ? null : flags.join('~');
    return [{ name, slug: analyte_slug, loinc, result, unit, reference_range, source_interpretation }];
  });
