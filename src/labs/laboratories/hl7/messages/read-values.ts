import { MOST_OF_REPORT, ReportRefused } from '../../../results/report-bounds.ts';
import type { Observation } from '../../../results/report.ts';
import type { Group } from './read-groups.ts';
import { isMapped, readObservation } from './read-observation.ts';
import { ResultProblem } from './result-problem.ts';

type Within = Parameters<typeof readObservation>[1];

/** What each group tells, beside the pending: its notes are with each value, since each is to be read with them. */
export function readValues(
  groups: Group[],
  sampleOf: (group: Group) => string | null,
  within: Within,
): Observation[][] {
  const read = groups.map((group) =>
    group.observations.flatMap(({ observation, notes, ofSpecimen }) => {
      // How the sample was taken or looked is told there too, by codes of the laboratory that mean no result.
      if (ofSpecimen && !isMapped(observation, within.codes)) return [];
      const value = readObservation({ observation, notes: [...group.notes, ...notes] }, within);
      return value === null ? [] : [{ ...value, sample_id: sampleOf(group) }];
    }),
  );
  const length = read.flat().reduce((sum, { notes }) => sum + (notes?.length ?? 0), 0);
  if (length > MOST_OF_REPORT.notes) throw new ReportRefused('text_too_long');
  return onceEach(read);
}

/** One code tells one value, unless OBX-4 tells several apart: which of two would be the patient's, nobody here can know. */
function onceEach(read: Observation[][]): Observation[][] {
  const known = new Map<string, string>();
  return read.map((values) =>
    values.filter(({ analyte_slug, sub_id, kind, text, unit, status }) => {
      const key = JSON.stringify([analyte_slug, sub_id]);
      const told = JSON.stringify([kind, text, unit, status]);
      const before = known.get(key);
      if (before !== undefined && before !== told) throw new ResultProblem('value_told_twice');
      known.set(key, told);
      return before === undefined;
    }),
  );
}
