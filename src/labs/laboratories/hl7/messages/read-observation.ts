import type { Delimiters } from '@phial/hl7/escape';
import { textAt, textsAt, wholeTextsAt, type Segment } from '@phial/hl7/message';
import type { LabReport, Observation } from '../../../results/report.ts';
import type { Settings } from '../connections/settings.ts';
import type { Noted } from './read-groups.ts';
import { codingsAt, readValueOf } from './read-value-of.ts';
import { domesticCountry } from '../../../../wire/country.ts';
import { isFlag } from '../../../results/interpretation/interpret.ts';
import { isDocument } from './read-document.ts';
import { ResultProblem } from './result-problem.ts';

/**
 * A laboratory's own codes, and LOINC as far as one analyte has it: the slug of our analyte by `code` and `LN code`.
 */
export type CodeMap = ReadonlyMap<string, string>;

/** OBX-11 (HL7 table 0085); null: nothing is told yet. */
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

/** What is no such code is not told as one. */
const LOINC = /^\d{1,7}-\d$/;

type Read = Omit<Observation, 'sample_id' | 'reported_at'>;
type Within = {
  codes: CodeMap;
  settings: Settings;
  delimiters: Delimiters;
  laboratories: LabReport['performing_laboratories'];
};

/**
 * One OBX with its notes; null where it tells nothing yet. An attached document is no value. Throws ResultProblem, but
 * not for a text that is empty, since it may be a line of one that several OBX tell.
 */
export function readObservation(
  { observation, notes }: Pick<Noted, 'observation' | 'notes'>,
  { codes, settings, delimiters, laboratories }: Within,
): Read | null {
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

/** OBX-3 names it twice: in the first three components and in the next three. */
const namesOf = (observation: Segment): { code: string; name: string; system: string }[] =>
  codingsAt(observation, 3).map(({ code, text, system }) => ({ code, name: text ?? '', system: system ?? '' }));

export const codesOf = (observation: Segment): string[] => codingsAt(observation, 3).map(({ code }) => code);

/** What it is by each of its names that the laboratory's file knows. */
const slugsOf = (names: ReturnType<typeof namesOf>, codes: CodeMap): string[] => [
  ...new Set(names.flatMap(({ code, system }) => codes.get(system === 'LN' ? `LN ${code}` : code) ?? [])),
];

export const isMapped = (observation: Segment, codes: CodeMap): boolean =>
  slugsOf(namesOf(observation), codes).length > 0;

/** A laboratory's own word for what is critical is told as the standard's, and the standard's in its own letters. */
function flagsOf(written: string, { critical_flags = [] }: Settings): string[] {
  const flag = written.trim();
  if (flag === '') return [];
  if (critical_flags.includes(flag)) return ['AA'];
  return [isFlag(flag.toUpperCase()) ? flag.toUpperCase() : flag];
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
