import { textAt, type Segment } from '@phial/hl7/message';
import type { Coding, LabReport, Observation, ReportedTest } from '../../../results/lab-report.ts';
import { isRejectionCode } from '../../../results/storing/rejected-samples.ts';
import { readOrderNumber } from './order-number.ts';
import { isDocument } from './read-document.ts';
import type { Group } from './read-groups.ts';
import { codingsAt } from './read-value-of.ts';
import { ResultProblem } from './result-problem.ts';

/** The status of a test. `pending`: there is no result yet. */
type Status = 'pending' | 'partial' | 'final' | 'corrected' | 'cancelled';

/**
 * The status of a test for each code of OBR-25 (HL7 table 0123). OBR-25 applies only to its own OBR. The codes Y and Z
 * are missing here, because a laboratory sends them only in answer to a query, and we send no queries.
 */
const STATUSES: ReadonlyMap<string, Status> = new Map([
  ['O', 'pending'],
  ['I', 'pending'],
  ['S', 'pending'],
  ['A', 'partial'],
  ['P', 'partial'],
  ['R', 'partial'],
  ['C', 'corrected'],
  ['F', 'final'],
  ['X', 'cancelled'],
]);

export function readStatus(request: Segment): Status {
  const status = STATUSES.get(textAt(request, 25).toUpperCase());
  if (status === undefined) throw new ResultProblem('wrong_obr_25');
  return status;
}

/**
 * Returns the status of a report from the statuses of all its OBRs. It is partial if a test is still open. Otherwise it
 * is corrected if a test was corrected.
 */
export function statusOfAll(statuses: Status[]): LabReport['status'] {
  if (statuses.some((status) => status === 'pending' || status === 'partial')) return 'partial';
  return statuses.includes('corrected') ? 'corrected' : 'final';
}

const OF_TEST: Readonly<Record<Status, ReportedTest['status']>> = {
  pending: 'partial',
  partial: 'partial',
  final: 'final',
  corrected: 'final',
  cancelled: 'cancelled',
};

type StatusParts = Pick<Group, 'common' | 'request' | 'notes' | 'observations' | 'specimens'>;

/** Makes a test from an OBR (the test) and the values in the OBX segments after it. */
export function testOf(
  { common, request, notes, observations, specimens }: StatusParts,
  status: Status,
  read: Observation[],
): ReportedTest {
  const numbers = [textAt(request, 2), textAt(common, 2)].flatMap((text) => readOrderNumber(text) ?? []);
  return {
    status: OF_TEST[status],
    names: numbers.find(({ position }) => position !== null)?.position ?? (numbers.length > 0 ? 'order' : null),
    codes: [textAt(request, 4), textAt(request, 4, { component: 4 })].filter((code) => code !== ''),
    name: textAt(request, 4, { component: 2 }) || textAt(request, 4, { component: 5 }),
    notes: read.length > 0 ? null : notes.filter((note) => note !== '').join('\n') || null,
    analytes: [...new Set(read.flatMap(({ analyte_slug }) => analyte_slug ?? []))],
    empty: observations.length === 0,
    rejected: rejectionsOf(specimens),
    has_document: observations.some(({ observation }) => isDocument(observation)),
  };
}

/**
 * Returns the reasons in SPM-21 for which the laboratory rejected the samples. Returns them only if it rejected every
 * sample of the test, because one good sample is enough for results.
 */
function rejectionsOf(specimens: Segment[]): string[] {
  const reasons = specimens.map((specimen) =>
    (specimen.fields[21] ?? []).flatMap((_, at) => codingsAt(specimen, 21, at + 1).map(reasonOf)),
  );
  return reasons.some((codes) => codes.length === 0) ? [] : [...new Set(reasons.flat())];
}

/** Returns the code if the HL7 standard defines it, or else the text of the laboratory's own code. */
function reasonOf({ code, text }: Coding): string {
  const known = code.trim().toUpperCase();
  return isRejectionCode(known) ? known : (text ?? code).trim().slice(0, 100);
}
