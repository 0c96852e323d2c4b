import type { Delimiters } from '@phial/hl7/escape';
import { textAt, textsAt, wholeTextsAt, type Segment } from '@phial/hl7/message';
import type { LabReport, Observation } from '../../../results/lab-report.ts';
import type { Settings } from '../connections/connection-settings.ts';
import type { Noted } from './read-groups.ts';
import { codingsAt, readValueOf } from './read-value-of.ts';
import { domesticCountry } from '../../../../wire/country.ts';
import { isFlag } from '../../../results/interpretation/interpret.ts';
import { isDocument } from './read-document.ts';
import { ResultProblem } from './result-problem.ts';

/**
 * Maps a code in OBX-3 to the slug of our analyte. The keys are the laboratory's own codes. For each LOINC code that
 * only one of its analytes has, the key is `LN` (HL7's name for LOINC) and the code.
 */
export type CodeMap = ReadonlyMap<string, string>;

/** The result status in OBX-11 (HL7 table 0085). Null: there is no result yet. */
const STATUS: ReadonlyMap<string, Observation['status'] | null> = new Map([
  ['F', 'final'],
  ['P', 'partial'],
  ['R', 'partial'],
  ['S', 'partial'],
  ['C', 'corrected'],
  ['A', 'corrected'],
  ['D', 'withdrawn'],
  ['W', 'withdrawn'],
  ['X', 'not_obtained'],
  ['I', null],
  ['O', null],
  ['N', null],
]);

/** The form of a LOINC code. We do not return a code of another form as LOINC. */
const LOINC = /^\d{1,7}-\d$/;

type ReadObx = Omit<Observation, 'sample_id' | 'reported_at'>;
type Within = {
  codes: CodeMap;
  settings: Settings;
  delimiters: Delimiters;
  laboratories: LabReport['performing_laboratories'];
};

/**
 * Reads one OBX with its notes. Returns null if the OBX has no result yet, or if it is a document. Throws ResultProblem
 * if it is unreadable. An empty text is readable, because it may be an empty line of a text in several OBX.
 */
export function readObservation(
  { observation, notes }: Pick<Noted, 'observation' | 'notes'>,
  { codes, settings, delimiters, laboratories }: Within,
): ReadObx | null {
  const written = textAt(observation, 11).toUpperCase();
  if (written === '') throw new ResultProblem('missing_obx_11');
  const status = STATUS.get(written);
  if (status === undefined) throw new ResultProblem('wrong_obx_11');
  if (status === null || isDocument(observation)) return null;
  const names = namesOf(observation);
  if (names.length === 0) throw new ResultProblem('missing_code');
  const [slug, ...others] = slugsOf(names, codes);
  if (slug === undefined) throw new ResultProblem('unmapped_code');
  if (others.length > 0) throw new ResultProblem('codes_disagree');
  const hasValue = status !== 'withdrawn' && status !== 'not_obtained';
  const { kind, text, coded } = readValueOf(observation, hasValue, delimiters);
  return {
    analyte_slug: slug,
    loinc: names.find(({ code, system }) => system === 'LN' && LOINC.test(code))?.code ?? null,
    code: names.find(({ system }) => system !== 'LN')?.code ?? null,
    codings: codingsAt(observation, 3),
    name: names.find(({ name }) => name !== '')?.name ?? slug,
    sub_id: textAt(observation, 4) || null,
    kind,
    text,
    ...(coded && { coded }),
    unit: textAt(observation, 6) || null,
    reference_range: wholeTextsAt(observation, 7, delimiters).join(' ').trim() || null,
    flags: textsAt(observation, 8).flatMap((flag) => flagsOf(flag, settings)),
    status,
    failure: null,
    notes: [...new Set(notes)].filter((note) => note !== '').join('\n') || null,
    performing_laboratory: laboratoryOf(observation, laboratories),
  };
}

/**
 * Returns the names in OBX-3, which says what was measured. There may be two: one in the first three components, and
 * one in the next three.
 */
const namesOf = (observation: Segment): { code: string; name: string; system: string }[] =>
  codingsAt(observation, 3).map(({ code, text, system }) => ({ code, name: text ?? '', system: system ?? '' }));

export const codesOf = (observation: Segment): string[] => codingsAt(observation, 3).map(({ code }) => code);

/** Returns the analytes to which the laboratory's file maps these names, each once. */
const slugsOf = (names: ReturnType<typeof namesOf>, codes: CodeMap): string[] => [
  ...new Set(names.flatMap(({ code, system }) => codes.get(system === 'LN' ? `LN ${code}` : code) ?? [])),
];

export const isMapped = (observation: Segment, codes: CodeMap): boolean =>
  slugsOf(namesOf(observation), codes).length > 0;

/**
 * Reads a flag of OBX-8, such as `H` for high. If the settings list the flag as the laboratory's own critical flag, it
 * becomes AA. A flag of the standard becomes upper case. Any other flag stays as it is.
 */
function flagsOf(written: string, { critical_flags = [] }: Settings): string[] {
  const flag = written.trim();
  if (flag === '') return [];
  if (critical_flags.includes(flag)) return ['AA'];
  return [isFlag(flag.toUpperCase()) ? flag.toUpperCase() : flag];
}

/**
 * Reads the laboratory that performed the test from OBX-23 to OBX-25. Returns the laboratory's key: its CLIA number
 * (the US licence number), or else its name.
 */
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
