import { MAX_OF_REPORT, ReportRefused } from '../../../results/report-bounds.ts';
import type { Observation } from '../../../results/lab-report.ts';
import { isText, type Group, type Noted } from './read-groups.ts';
import { codesOf, isMapped, readObservation } from './read-obx.ts';
import { ResultProblem, type WaitingPart, type Warnings } from './result-problem.ts';

type Within = Parameters<typeof readObservation>[1] & { warnings: Warnings };
/** A value, with the segments that contain it in the order of the message. */
type NotedValue = { value: Observation; of: Noted[]; isText: boolean };
type ReadValues = { observations: Observation[][]; waits: WaitingPart[] };

/**
 * Reads the values of each group and omits pending ones. Each value gets the notes of its group, because a reader needs
 * them with every value. The unreadable values come back in `waits`, with their reasons.
 */
export function readValues(
  groups: Group[],
  ofGroup: (group: Group) => Partial<Observation>,
  within: Within,
): ReadValues {
  const waits: WaitingPart[] = [];
  const waitFor = (of: Noted[], test: number, reason: WaitingPart['reason']): void => {
    for (const { observation, number } of of)
      waits.push({ reason, segment: 'OBX', number, test, codes: codesOf(observation) });
  };
  const read = groups.map((group, test) => {
    const values: NotedValue[] = [];
    for (const noted of group.observations) {
      try {
        const value = readOf(group, noted, within);
        if (value === null) continue;
        addTo(values, { value: { ...value, ...ofGroup(group) }, of: [noted], isText: isText(noted.observation) });
      } catch (error) {
        if (!(error instanceof ResultProblem)) throw error;
        waitFor([noted], test, error.code);
      }
    }
    const [whole, empty] = [values.filter(hasText), values.filter((each) => !hasText(each))];
    for (const { of } of empty) waitFor(of, test, 'value_not_of_type');
    return whole;
  });
  const { once, twice } = onceEach(read);
  for (const { of, test } of twice) waitFor(of, test, 'value_told_twice');
  const length = once.flat().reduce((sum, { notes }) => sum + (notes?.length ?? 0), 0);
  if (length > MAX_OF_REPORT.notes) throw new ReportRefused('text_too_long');
  return { observations: once, waits: waits.toSorted((a, b) => a.number - b.number) };
}

function readOf(group: Group, { observation, notes, ofSpecimen }: Noted, within: Within) {
  // This OBX may describe the sample, for example its volume. Laboratories use codes of their own for that. If we have
  // no mapping for the code, the OBX is not a result.
  if (ofSpecimen && !isMapped(observation, within.codes)) {
    within.warnings.add('specimen_observation_left_out');
    return null;
  }
  const value = readObservation({ observation, notes: [...group.notes, ...notes] }, within);
  return value && { ...value, sample_id: null };
}

const hasText = ({ value: { status, text } }: NotedValue): boolean =>
  status === 'withdrawn' || status === 'not_obtained' || text.trim() !== '';

/** Adds a value. If the value continues a text of the same code from earlier OBX segments, it extends that text. */
function addTo(values: NotedValue[], next: NotedValue): void {
  const before = values.findLast(({ value }) => value.analyte_slug === next.value.analyte_slug);
  const goesOn =
    before?.isText &&
    next.isText &&
    before.value.sub_id === next.value.sub_id &&
    before.value.status === next.value.status;
  if (!goesOn) return void values.push(next);
  const { value } = before;
  before.of.push(...next.of);
  value.text = `${value.text}\n${next.value.text}`;
  value.flags = [...new Set([...value.flags, ...next.value.flags])];
  value.notes = joined(value.notes, next.value.notes);
}

const joined = (before: string | null, next: string | null): string | null =>
  [...new Set([...(before ?? '').split('\n'), ...(next ?? '').split('\n')])].filter(Boolean).join('\n') || null;

/**
 * Returns each value once. A code must have only one value, unless OBX-4 distinguishes several values. If a code has
 * two different values, we cannot know which one is right, so the function returns both in `twice`.
 */
function onceEach(read: NotedValue[][]): { once: Observation[][]; twice: { of: Noted[]; test: number }[] } {
  const contents = new Map<string, Set<string>>();
  for (const each of read.flat()) {
    const known = contents.get(keyOf(each)) ?? new Set();
    contents.set(keyOf(each), known.add(contentOf(each)));
  }
  const twice: { of: Noted[]; test: number }[] = [];
  const seen = new Set<string>();
  const once = read.map((values, test) =>
    values.flatMap((each) => {
      const key = keyOf(each);
      if ((contents.get(key)?.size ?? 0) > 1) {
        twice.push({ of: each.of, test });
        return [];
      }
      return seen.has(key) || !seen.add(key) ? [] : [each.value];
    }),
  );
  return { once, twice };
}

const keyOf = ({ value: { analyte_slug, sub_id } }: NotedValue): string => JSON.stringify([analyte_slug, sub_id]);
const contentOf = ({ value: { kind, text, unit, status } }: NotedValue): string =>
  JSON.stringify([kind, text, unit, status]);
