import type { Analyte } from '../../catalogue/analytes.ts';
import type { StoredMissingResult, StoredReport, StoredResult, PastResult, RejectedTests } from '../stored-report.ts';
import { isNewer, isPreliminary, type Entry } from './is-newer.ts';
import { analyteOf, asOf, keyOf, named, missingEntryOf, readResult, sourceMarkerOf } from './stored-entries.ts';
import { deferredTests, wordsOfRejection } from './rejected-samples.ts';
import type { LabReport, Observation } from '../lab-report.ts';

type Values = Pick<StoredReport, 'results' | 'missing_results' | 'withdrawn'>;
/** `superseded` is true if the report contains a value that is older than the stored value. */
type Merged = Values & { superseded: boolean };

/**
 * Merges a new report into the values that we know of an order. Laboratories repeat values, send reports in parts, and
 * send messages late, so we merge each value separately. The newest value becomes the current one, and earlier values
 * become its history. Values that the report does not contain stay.
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
    const reported = ofReported(entryOf(report, observation, analyte), known);
    if (!known) entries.set(key, reported);
    else if (saysTheSame(reported, known))
      entries.set(key, isNewer(reported, known) ? restated(known, reported) : known);
    else if (isNewer(reported, known)) entries.set(key, corrected(reported, known));
    else {
      const late = withLate(known, reported);
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
  if (status === 'not_obtained') return { of: 'missing', entry: missingEntryOf(report, observation, analyte) };
  return { of: 'result', entry: readResult(report, { ...observation, status }, analyte) };
}

const CANCELLED_AFTER = 'The laboratory cancelled this value after it was reported.';

/**
 * Returns the reported entry. If the laboratory reported a final value before and now reports it as missing, the
 * function adds a note that the laboratory cancelled the value. A reader can then distinguish it from a value that
 * never came.
 */
function ofReported(reported: Entry, known: Entry | undefined): Entry {
  if (reported.of !== 'missing' || !known) return reported;
  const wasRead =
    known.of === 'missing'
      ? known.entry.note?.startsWith(CANCELLED_AFTER)
      : known.of === 'result' && !isPreliminary(known);
  if (!wasRead) return reported;
  return {
    of: 'missing',
    entry: { ...reported.entry, note: [CANCELLED_AFTER, reported.entry.note].filter(Boolean).join('\n') },
  };
}

/**
 * Returns whether two entries have the same content. Their times, status, previous value and history may differ. But if
 * a preliminary value becomes final, this is a change and not a repetition.
 */
function saysTheSame(reported: Entry, known: Entry): boolean {
  if (reported.of !== known.of) return false;
  if (reported.of === 'withdrawn') return true;
  if (isPreliminary(known) && !isPreliminary(reported)) return false;
  // Versions of early releases do not contain the codes of values, so we do not compare them.
  const hasCodes = reported.of === 'result' && known.of === 'result' && known.entry.result_codes !== null;
  return contentOf(reported, hasCodes) === contentOf(known, hasCodes);
}

const contentOf = ({ entry }: Entry, hasCodes: boolean): string => {
  const of = { timestamp: null, reported_at: null, status: null, previous_result: null, history: null, as_of: null };
  const codes = hasCodes ? {} : { result_codes: null };
  return JSON.stringify(Object.entries({ ...entry, ...of, ...codes }).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * Returns the known entry with the time of its repetition. A late message with a time between the two reports then
 * cannot replace the entry.
 */
const restated = (known: Entry, { entry: { as_of } }: Entry): Entry =>
  ({ of: known.of, entry: { ...known.entry, ...(as_of && { as_of }) } }) as Entry;

/**
 * Returns the entry that replaces the known entry. If a final value changed, the new entry has the status corrected and
 * contains the previous value. A cancelled value keeps its history. A withdrawn value loses its history.
 */
function corrected(reported: Entry, known: Entry): Entry {
  if (reported.of === 'withdrawn' || known.of === 'withdrawn') return reported;
  if (reported.of === 'missing') {
    const history =
      known.of === 'missing' ? known.entry.history : joined(known.entry.history, pastOf(known.entry, false));
    return { of: 'missing', entry: { ...reported.entry, history } };
  }
  if (known.of === 'missing') return { of: 'result', entry: { ...reported.entry, history: known.entry.history } };
  const { result, unit, previous_result, status } = known.entry;
  const isOther = result !== reported.entry.result || unit !== reported.entry.unit;
  const history = isOther ? joined(known.entry.history, pastOf(known.entry, false)) : known.entry.history;
  if (status === 'partial') return { of: 'result', entry: { ...reported.entry, history } };
  const previous = isOther ? [result, unit].filter((part) => part !== null).join(' ') : previous_result;
  return { of: 'result', entry: { ...reported.entry, history, status: 'corrected', previous_result: previous } };
}

/**
 * Adds a value that arrived late, after a newer one, to the history. If the history contains the value already, nothing
 * changes. A withdrawn entry gets no history, because the value may belong to another patient.
 */
function withLate(known: Entry, reported: Entry): Entry {
  if (known.of === 'withdrawn' || reported.of !== 'result') return known;
  const history = joined(known.entry.history, pastOf(reported.entry, true));
  return history === known.entry.history ? known : ({ of: known.of, entry: { ...known.entry, history } } as Entry);
}

const pastOf = (
  { result, unit, interpretation, status, timestamp, as_of }: StoredResult,
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

/**
 * Adds a value to the history, oldest first by the laboratory's times. If the same value with the same time is in the
 * history already, nothing changes.
 */
function joined(history: PastResult[], past: PastResult): PastResult[] {
  const isKnown = history.some(
    ({ result, unit, timestamp }) => result === past.result && unit === past.unit && timestamp === past.timestamp,
  );
  return isKnown ? history : [...history, past].toSorted((a, b) => (timesOf(a) < timesOf(b) ? -1 : 1));
}

const timesOf = ({ timestamp, sent_at }: PastResult): string => `${timestamp ?? ''} ${sent_at ?? ''}`;

/**
 * Returns the values in the sequence of the lab test. Values that nobody ordered come last, in the sequence in which
 * they arrived.
 */
function valuesOf(entries: Entry[], analytes: Analyte[]): Values {
  const positions = new Map(analytes.map(({ slug }, position) => [slug, position]));
  const sorted = entries.toSorted((a, b) => positionOf(a) - positionOf(b));
  return {
    results: sorted.flatMap(({ of, entry }) => (of === 'result' ? [entry] : [])),
    missing_results: sorted.flatMap(({ of, entry }) => (of === 'missing' && entry.reported_at !== null ? [entry] : [])),
    withdrawn: sorted.flatMap(({ of, entry }) => (of === 'withdrawn' ? [entry] : [])),
  };

  function positionOf({ entry: { key } }: Entry): number {
    return positions.get(key.split('#')[0] as string) ?? analytes.length;
  }
}

/** Notes of entries in `missing_results` that state why there is no value. */
export const NOT_IN_REPORT = "Not in the laboratory's final report.";
export const SET_ASIDE = 'A part of the report could not be read and was set aside.';

/**
 * Returns an entry for each required analyte that the laboratory did not report and will not report. Either its test is
 * final or cancelled, or its value may have been in a part of the report that we discarded.
 */
export function notReported(
  values: Values,
  expected: { analyte: Analyte; isCancelled: boolean; isSetAside: boolean }[],
): StoredMissingResult[] {
  const reportedSlugs = slugsIn(values);
  return expected
    .filter(({ analyte }) => analyte.required && !reportedSlugs.has(analyte.slug))
    .map(({ analyte, isCancelled, isSetAside }) => ({
      ...withoutValue(analyte),
      note: isCancelled ? 'The laboratory cancelled this test.' : isSetAside ? SET_ASIDE : NOT_IN_REPORT,
    }));
}

/**
 * Returns the required values that we still expect because their test waits until a problem with a sample is solved.
 * The note states the problem.
 */
export function deferredResults(values: Values, analytes: Analyte[], rejected: RejectedTests): StoredMissingResult[] {
  const [reportedSlugs, deferred] = [slugsIn(values), deferredTests(rejected)];
  return analytes.flatMap((analyte) => {
    const code = deferred.get(analyte.marker_id);
    if (code === undefined || !analyte.required || reportedSlugs.has(analyte.slug)) return [];
    return [{ ...withoutValue(analyte), note: wordsOfRejection(code), is_held: true as const }];
  });
}

const slugsIn = ({ results, missing_results, withdrawn }: Values): Set<string | undefined> =>
  new Set([...results, ...missing_results, ...withdrawn].map(({ key }) => key.split('#')[0]));

const withoutValue = (analyte: Analyte): Omit<StoredMissingResult, 'note'> => ({
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
