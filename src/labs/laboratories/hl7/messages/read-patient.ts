import { textAt, type Segment } from '@phial/hl7/message';
import { readDate } from '@phial/hl7/times';
import { isCalendarDate } from '../../../../wire/birth-date.ts';
import type { LabReport, ReportedPatient } from '../../../results/lab-report.ts';
import { ResultProblem } from './result-problem.ts';

const SEX: ReadonlyMap<string, string> = new Map([
  ['F', 'female'],
  ['M', 'male'],
  ['U', 'unknown'],
  ['O', 'other'],
  ['A', 'other'],
  ['N', 'other'],
]);

/** Reads a date of birth. Returns null if the text contains no day. */
function birthDateOf(text: string): string | null {
  const day = readDate(text);
  return day === null || isCalendarDate(day) ? day : invalid();
}

/** Reads the patient of a PID. Throws ResultProblem for a date of birth that does not exist. */
export function patientOf(pid: Segment | undefined): LabReport['patient'] {
  if (!pid) return null;
  return {
    last_name: textAt(pid, 5) || null,
    first_name: textAt(pid, 5, { component: 2 }) || null,
    dob: birthDateOf(textAt(pid, 7)),
    gender: SEX.get(textAt(pid, 8).toUpperCase()) ?? null,
    ids: [3, 2, 4].flatMap((field) => identifiersAt(pid, field)).slice(0, MOST_IDS),
  };
}

const MOST_IDS = 20;

/** Reads CX values. Each has an identifier, its assigning authority (a name or an OID) and its type. */
function identifiersAt(pid: Segment, field: number): NonNullable<ReportedPatient['ids']> {
  return (pid.fields[field] ?? []).flatMap((_, at) => {
    const part = (component: number, sub = 1): string => textAt(pid, field, { component, sub, repetition: at + 1 });
    const id = part(1);
    return id === '' ? [] : [{ id, authority: part(4) || part(4, 2) || null, type: part(5) || null }];
  });
}

function invalid(): never {
  throw new ResultProblem('bad_time');
}
