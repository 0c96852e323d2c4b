import type { LabReport, Observation } from '../../../results/report.ts';
import type { Settings } from '../connections/settings.ts';
import { textAt, textsAt, type Segment } from '../codec/message.ts';
import type { Noted } from './read-groups.ts';
import { domesticCountry } from '../../../../wire/country.ts';
import { isDocument } from './read-document.ts';
import { ResultProblem } from './result-problem.ts';

/** A laboratory's own codes, and LOINC as far as one analyte has it: the slug of our analyte by `code` and `LN code`. */
export type CodeMap = ReadonlyMap<string, string>;

/** OBX-11 (HL7 table 0085); null: nothing is told yet. */
const STATUS: Readonly<Record<string, Observation['status'] | null>> = {
  F: 'final',
  P: 'partial',
  R: 'partial',
  S: 'partial',
  C: 'corrected',
  A: 'corrected',
  D: 'withdrawn',
  W: 'withdrawn',
  X: 'not_obtained',
  I: null,
  O: null,
  N: null,
};

/** What is no such code is not told as one. */
const LOINC = /^\d{1,7}-\d$/;

type Read = Omit<Observation, 'sample_id'>;
type Within = { codes: CodeMap; settings: Settings; laboratories: LabReport['performing_laboratories'] };

/** One OBX with its notes; null where it tells nothing yet. An attached document is no value. */
export function readObservation(
  { observation, notes }: Pick<Noted, 'observation' | 'notes'>,
  { codes, settings, laboratories }: Within,
): Read | null {
  const written = textAt(observation, 11);
  if (written === '') throw new ResultProblem('missing_obx_11');
  const status = STATUS[written];
  if (status === undefined) throw new ResultProblem('wrong_obx_11');
  if (status === null || isDocument(observation)) return null;
  const names = namesOf(observation);
  if (names.length === 0) throw new ResultProblem('missing_code');
  const [slug, ...others] = slugsOf(names, codes);
  if (slug === undefined) throw new ResultProblem('unmapped_code');
  if (others.length > 0) throw new ResultProblem('codes_disagree');
  const hasValue = status !== 'withdrawn' && status !== 'not_obtained';
  const { kind, text } = valueOf(observation, hasValue);
  if (hasValue && text === '') throw new ResultProblem('value_not_of_type');
  return {
    analyte_slug: slug,
    loinc: names.find(({ code, system }) => system === 'LN' && LOINC.test(code))?.code ?? null,
    code: names.find(({ system }) => system !== 'LN')?.code ?? null,
    name: names.find(({ name }) => name !== '')?.name ?? slug,
    sub_id: textAt(observation, 4) || null,
    kind,
    text,
    unit: textAt(observation, 6) || null,
    reference_range: textAt(observation, 7) || null,
    flags: textsAt(observation, 8).map((flag) => flagOf(flag.trim(), settings)),
    status,
    failure: null,
    notes: notes.filter((note) => note !== '').join('\n') || null,
    performing_laboratory: laboratoryOf(observation, laboratories),
  };
}

/** OBX-3 names it twice: in the first three components and in the next three. */
function namesOf(observation: Segment): { code: string; name: string; system: string }[] {
  return [1, 4]
    .map((from) => ({
      code: textAt(observation, 3, { component: from }),
      name: textAt(observation, 3, { component: from + 1 }),
      system: textAt(observation, 3, { component: from + 2 }),
    }))
    .filter(({ code }) => code !== '');
}

/** What it is by each of its names that the laboratory's file knows. */
const slugsOf = (names: ReturnType<typeof namesOf>, codes: CodeMap): string[] => [
  ...new Set(names.flatMap(({ code, system }) => codes.get(system === 'LN' ? `LN ${code}` : code) ?? [])),
];

export const isMapped = (observation: Segment, codes: CodeMap): boolean =>
  slugsOf(namesOf(observation), codes).length > 0;

/** A laboratory's own word for what is critical is told as the standard's. */
const flagOf = (flag: string, { critical_flags = [] }: Settings): string =>
  critical_flags.includes(flag) ? 'AA' : flag;

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(E[+-]?\d+)?$/i;

/** A number may end with its point (2.A.47 of HL7 v2.5.1), which nobody else writes so. */
const withoutBarePoint = (text: string): string => (NUMBER.test(text) ? text.replace(/\.(?=$|E)/i, '') : text);

/** OBX-5 by OBX-2; a number that is none is refused, since nobody would know what it means. */
function valueOf(observation: Segment, hasValue: boolean): { kind: Observation['kind']; text: string } {
  const type = textAt(observation, 2);
  const lines = textsAt(observation, 5);
  switch (type) {
    case 'NM': {
      const text = textAt(observation, 5);
      if (hasValue && (!NUMBER.test(text) || lines.length > 1)) throw new ResultProblem('value_not_of_type');
      return { kind: 'numeric', text: withoutBarePoint(text) };
    }
    case 'SN': {
      const part = (component: number): string => withoutBarePoint(textAt(observation, 5, { component }));
      const text = [1, 2, 3, 4].map(part).join('');
      const isRight = NUMBER.test(part(2)) && ['', '<', '>', '<=', '>=', '=', '<>'].includes(part(1));
      if (hasValue && !isRight) throw new ResultProblem('value_not_of_type');
      return part(1) === '' && part(3) === ''
        ? { kind: 'numeric', text }
        : { kind: 'range', text: text.replace(/^=/, '') };
    }
    case 'CE':
    case 'CWE':
    case 'CNE':
      return {
        kind: 'coded_value',
        text:
          textAt(observation, 5, { component: 2 }) ||
          textAt(observation, 5, { component: 9 }) ||
          textAt(observation, 5),
      };
    case 'ST':
    case 'TX':
    case 'FT':
    case 'DT':
    case 'TM':
    case 'TS':
    case 'DTM':
      return { kind: 'comment', text: lines.join('\n').trim() };
    case '':
      if (hasValue) throw new ResultProblem('value_not_of_type');
      return { kind: 'comment', text: lines.join('\n').trim() };
    default:
      throw new ResultProblem('value_not_of_type');
  }
}

/** OBX-23 to 25: who did it, with its CLIA number as its key where it has one. */
function laboratoryOf(observation: Segment, laboratories: LabReport['performing_laboratories']): string | null {
  const name = textAt(observation, 23);
  if (name === '') return textAt(observation, 15) || null;
  const key = textAt(observation, 23, { component: 10 }) || name;
  const at = (component: number): string => textAt(observation, 24, { component });
  const director = [textAt(observation, 25, { component: 3 }), textAt(observation, 25, { component: 2 })]
    .filter(Boolean)
    .join(' ');
  laboratories[key] ??= {
    name,
    phone_number: null,
    medical_director: director || null,
    address:
      at(1) === ''
        ? null
        : {
            first_line: at(1),
            second_line: at(2),
            city: at(3),
            state: at(4),
            zip: at(5),
            country: domesticCountry(at(6) || 'US') ?? at(6),
          },
  };
  return key;
}
