import type { Analyte } from '../../catalogue/analytes.ts';
import type { KeptMissing, KeptReport, KeptResult, PastResult, RejectedTests } from '../kept-report.ts';
import { isNewer, isPreliminary, type Entry } from './newer.ts';
import { analyteOf, asOf, keyOf, named, readMissing, readResult, sourceMarkerOf } from './read-observation.ts';
import { heldTests, wordsOfRejection } from './rejected-samples.ts';
import type { LabReport, Observation } from '../report.ts';

type Values = Pick<KeptReport, 'results' | 'missing_results' | 'withdrawn'>;
/** `superseded`: the report told something that is older than what stands. */
type Merged = Values & { superseded: boolean };

/**
 * What is known of an order after one more report. Laboratories repeat themselves, send parts, and messages come late:
 * so each value stands for itself, the newest one stands (record 359), those before it are its history, and what is not told
 * again stays.
 */
export function mergeValues(before: Values | null, report: LabReport, analytes: Analyte[]): Merged {
  const entries = new Map<string, Entry>();
  let superseded = false;
  for (const entry of before?.results ?? []) entries.set(entry.key, { of: 'result', entry });
  for (const entry of before?.missing_results ?? []) entries.set(entry.key, { of: 'missing', entry });
  for (const entry of before?.withdrawn ?? []) entries.set(entry.key, { of: 'withdrawn', entry });
  for (const observation of report.observations) {
    const analyte = analyteOf(observation, analytes);
    const key = keyOf(observation, analyte);
    const known = entries.get(key);
    const told = ofReported(entryOf(report, observation, analyte), known);
    if (!known) entries.set(key, told);
    else if (saysTheSame(told, known)) entries.set(key, isNewer(told, known) ? restated(known, told) : known);
    else if (isNewer(told, known)) entries.set(key, corrected(told, known));
    else {
      const late = withLate(known, told);
      superseded ||= late !== known || known.of !== 'result';
      entries.set(key, late);
    }
  }
  return { ...valuesOf([...entries.values()], analytes), superseded };
}

function entryOf(report: LabReport, observation: Observation, analyte: Analyte | null): Entry {
  const { status } = observation;
  if (status === 'withdrawn') {
    const as_of = asOf(report, observation);
    return { of: 'withdrawn', entry: { ...named(observation, analyte), reported_at: as_of.reported_at, as_of } };
  }
  if (status === 'not_obtained') return { of: 'missing', entry: readMissing(report, observation, analyte) };
  return { of: 'result', entry: readResult(report, { ...observation, status }, analyte) };
}

const CANCELLED_AFTER = 'The laboratory cancelled this value after it was reported.';

/** That there is no value says so where somebody may have read one: it is no value that never came. */
function ofReported(told: Entry, known: Entry | undefined): Entry {
  if (told.of !== 'missing' || !known) return told;
  const wasRead =
    known.of === 'missing'
      ? known.entry.note?.startsWith(CANCELLED_AFTER)
      : known.of === 'result' && !isPreliminary(known);
  if (!wasRead) return told;
  return {
    of: 'missing',
    entry: { ...told.entry, note: [CANCELLED_AFTER, told.entry.note].filter(Boolean).join('\n') },
  };
}

/** Equal but for when it was said and what it is called: a value that turns from preliminary to final is no repetition. */
function saysTheSame(told: Entry, known: Entry): boolean {
  if (told.of !== known.of) return false;
  if (told.of === 'withdrawn') return true;
  if (isPreliminary(known) && !isPreliminary(told)) return false;
  // Early versions were kept without their codes.
  const hasCodes = told.of === 'result' && known.of === 'result' && known.entry.result_codes !== null;
  return contentOf(told, hasCodes) === contentOf(known, hasCodes);
}

const contentOf = ({ entry }: Entry, hasCodes: boolean): string => {
  const of = { timestamp: null, reported_at: null, status: null, previous_result: null, history: null, as_of: null };
  const codes = hasCodes ? {} : { result_codes: null };
  return JSON.stringify(Object.entries({ ...entry, ...of, ...codes }).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** The same was said later: what comes between does not take its place. */
const restated = (known: Entry, { entry: { as_of } }: Entry): Entry =>
  ({ of: known.of, entry: { ...known.entry, ...(as_of && { as_of }) } }) as Entry;

/** What was final and is another now is marked, with what it was; what was cancelled keeps what it was, until it is withdrawn. */
function corrected(told: Entry, known: Entry): Entry {
  if (told.of === 'withdrawn' || known.of === 'withdrawn') return told;
  if (told.of === 'missing') {
    const history =
      known.of === 'missing' ? known.entry.history : joined(known.entry.history, pastOf(known.entry, false));
    return { of: 'missing', entry: { ...told.entry, history } };
  }
  if (known.of === 'missing') return { of: 'result', entry: { ...told.entry, history: known.entry.history } };
  const { result, unit, previous_result, status } = known.entry;
  const isOther = result !== told.entry.result || unit !== told.entry.unit;
  const history = isOther ? joined(known.entry.history, pastOf(known.entry, false)) : known.entry.history;
  if (status === 'partial') return { of: 'result', entry: { ...told.entry, history } };
  const previous = isOther ? [result, unit].filter((part) => part !== null).join(' ') : previous_result;
  return { of: 'result', entry: { ...told.entry, history, status: 'corrected', previous_result: previous } };
}

/**
 * What came after something newer is kept behind it; the same entry where it is there already. Nothing is kept behind what was
 * withdrawn: it may never have been this patient's.
 */
function withLate(known: Entry, told: Entry): Entry {
  if (known.of === 'withdrawn' || told.of !== 'result') return known;
  const history = joined(known.entry.history, pastOf(told.entry, true));
  return history === known.entry.history ? known : ({ of: known.of, entry: { ...known.entry, history } } as Entry);
}

const pastOf = (
  { result, unit, interpretation, status, timestamp, as_of }: KeptResult,
  came_late: boolean,
): PastResult => ({
  result,
  unit,
  interpretation,
  status,
  timestamp,
  came_late,
  sent_at: as_of?.sent_at ?? null,
});

/** Oldest first by the laboratory's times; a value that it told at the same time before is there once. */
function joined(history: PastResult[], past: PastResult): PastResult[] {
  const isKnown = history.some(
    ({ result, unit, timestamp }) => result === past.result && unit === past.unit && timestamp === past.timestamp,
  );
  return isKnown ? history : [...history, past].toSorted((a, b) => (timesOf(a) < timesOf(b) ? -1 : 1));
}

const timesOf = ({ timestamp, sent_at }: PastResult): string => `${timestamp ?? ''} ${sent_at ?? ''}`;

/** In the order of the lab test; what was not asked for comes last, in the order in which it came. */
function valuesOf(entries: Entry[], analytes: Analyte[]): Values {
  const places = new Map(analytes.map(({ slug }, place) => [slug, place]));
  const sorted = entries.toSorted((a, b) => placeOf(a) - placeOf(b));
  return {
    results: sorted.flatMap(({ of, entry }) => (of === 'result' ? [entry] : [])),
    missing_results: sorted.flatMap(({ of, entry }) => (of === 'missing' && entry.reported_at !== null ? [entry] : [])),
    withdrawn: sorted.flatMap(({ of, entry }) => (of === 'withdrawn' ? [entry] : [])),
  };

  function placeOf({ entry: { key } }: Entry): number {
    return places.get(key.split('#')[0] as string) ?? analytes.length;
  }
}

/** Why there is no value, in the words of `missing_results`. */
export const NOT_IN_REPORT = "Not in the laboratory's final report.";
export const SET_ASIDE = 'A part of the report could not be read and was set aside.';

/**
 * What was asked for and required, is awaited no more and was not told: the laboratory called it final, or cancelled
 * it, or it may have stood in a part of the report that was discarded.
 */
export function notReported(
  values: Values,
  expected: { analyte: Analyte; isCancelled: boolean; isSetAside: boolean }[],
): KeptMissing[] {
  const told = toldIn(values);
  return expected
    .filter(({ analyte }) => analyte.required && !told.has(analyte.slug))
    .map(({ analyte, isCancelled, isSetAside }) => ({
      ...withoutValue(analyte),
      note: isCancelled ? 'The laboratory cancelled this test.' : isSetAside ? SET_ASIDE : NOT_IN_REPORT,
    }));
}

/** What is required and still to come of tests that wait for something about their samples, with what that is. */
export function heldUp(values: Values, analytes: Analyte[], rejected: RejectedTests): KeptMissing[] {
  const [told, held] = [toldIn(values), heldTests(rejected)];
  return analytes.flatMap((analyte) => {
    const code = held.get(analyte.marker_id);
    if (code === undefined || !analyte.required || told.has(analyte.slug)) return [];
    return [{ ...withoutValue(analyte), note: wordsOfRejection(code), is_held: true as const }];
  });
}

const toldIn = ({ results, missing_results, withdrawn }: Values): Set<string | undefined> =>
  new Set([...results, ...missing_results, ...withdrawn].map(({ key }) => key.split('#')[0]));

const withoutValue = (analyte: Analyte): Omit<KeptMissing, 'note'> => ({
  key: analyte.slug,
  name: analyte.name,
  slug: analyte.slug,
  loinc: analyte.loinc_code,
  loinc_slug: analyte.loinc_code === null ? null : analyte.slug,
  provider_id: analyte.marker_provider_id,
  source_markers: [sourceMarkerOf(analyte)],
  inferred_failure_type: 'unknown_failure',
  reported_at: null,
  history: [],
});
