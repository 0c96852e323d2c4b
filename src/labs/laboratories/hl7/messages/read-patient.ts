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

/** Reads a date of birth. Returns null if the text has no day, for example only a year. */
function birthDateOf(text: string): string | null {
  const day = readDate(text);
  return day === null || isCalendarDate(day) ? day : invalid();
}

/** Reads the patient from a PID. Throws ResultProblem if the date of birth does not exist, for example February 30. */
export function patientOf(pid: Segment | undefined): LabReport['patient'] {
  if (!pid) return null;
  return {
    last_name: textAt(pid, 5) || null,
    first_name: textAt(pid, 5, { component: 2 }) || null,
    dob: birthDateOf(textAt(pid, 7)),
    gender: SEX.get(textAt(pid, 8).toUpperCase()) ?? null,
    ids: [3, 2, 4].flatMap((field) => identifiersAt(pid, field)).slice(0, MAX_IDS),
  };
}

const MAX_IDS = 20;

/**
 * Reads the patient's identifiers (HL7's type CX). Each has a value, the authority that assigned it (a name or an OID)
 * and a type.
 */
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
