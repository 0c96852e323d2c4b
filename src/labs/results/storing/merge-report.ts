import type { Analyte } from '../../catalogue/analytes.ts';
import type { KeptMissing, KeptReport, KeptResult, Withdrawn } from '../kept-report.ts';
import { analyteOf, keyOf, readMissing, readResult, sourceMarkerOf } from './read-observation.ts';
import type { LabReport, Observation } from '../report.ts';

type Entry =
  { of: 'result'; entry: KeptResult } | { of: 'missing'; entry: KeptMissing } | { of: 'withdrawn'; entry: Withdrawn };
type Values = Pick<KeptReport, 'results' | 'missing_results' | 'withdrawn'>;

/**
 * What is known of an order after one more report. Laboratories repeat themselves, send parts, and messages come late:
 * so each value stands for itself, the laboratory's own time decides which is newer, and what is not told again stays.
 */
export function mergeValues(before: Values | null, report: LabReport, analytes: Analyte[]): Values {
  const entries = new Map<string, Entry>();
  for (const entry of before?.results ?? []) entries.set(entry.key, { of: 'result', entry });
  for (const entry of before?.missing_results ?? []) entries.set(entry.key, { of: 'missing', entry });
  for (const entry of before?.withdrawn ?? []) entries.set(entry.key, { of: 'withdrawn', entry });
  for (const observation of report.observations) {
    const analyte = analyteOf(observation, analytes);
    const key = keyOf(observation, analyte);
    const known = entries.get(key);
    const told = entryOf(report, observation, analyte);
    if (!known) entries.set(key, told);
    else if (replaces(told, known) && !saysTheSame(told, known)) entries.set(key, corrected(told, known));
  }
  return valuesOf([...entries.values()], analytes);
}

function entryOf(report: LabReport, observation: Observation, analyte: Analyte | null): Entry {
  const { status } = observation;
  if (status === 'withdrawn') {
    const name = analyte?.name ?? observation.name;
    const entry = { key: keyOf(observation, analyte), name, reported_at: report.reported_at.timestamp };
    return { of: 'withdrawn', entry };
  }
  if (status === 'not_obtained') return { of: 'missing', entry: readMissing(report, observation, analyte) };
  return { of: 'result', entry: readResult(report, { ...observation, status }, analyte) };
}

const RANKS = { partial: 0, final: 1, corrected: 2 };

const rankOf = (told: Entry): number =>
  told.of === 'result' ? RANKS[told.entry.status] : told.of === 'missing' ? RANKS.final : RANKS.corrected + 1;

const timeOf = ({ of, entry }: Entry): string => (of === 'result' ? entry.timestamp : entry.reported_at) ?? '';

/** Older messages change nothing, and neither does a preliminary value what was final. */
function replaces(told: Entry, known: Entry): boolean {
  if (rankOf(told) === RANKS.partial && rankOf(known) > RANKS.partial && timeOf(known) !== '') return false;
  const [then, now] = [timeOf(known), timeOf(told)];
  return now === then ? rankOf(told) >= rankOf(known) : now > then;
}

/** Equal but for when it was said and what it is called: a value that turns from preliminary to final is no repetition. */
function saysTheSame(told: Entry, known: Entry): boolean {
  if (told.of !== known.of) return false;
  if (told.of === 'withdrawn') return true;
  if (known.of === 'result' && known.entry.status === 'partial' && rankOf(told) > RANKS.partial) return false;
  return contentOf(told) === contentOf(known);
}

const contentOf = ({ entry }: Entry): string => {
  const plain = { ...entry, timestamp: null, reported_at: null, status: null, previous_result: null };
  return JSON.stringify(Object.entries(plain).toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** What was final and is another now is marked, with what it was. */
function corrected(told: Entry, known: Entry): Entry {
  if (told.of !== 'result' || known.of !== 'result' || known.entry.status === 'partial') return told;
  const { result, unit, previous_result } = known.entry;
  const changed = result !== told.entry.result || unit !== told.entry.unit;
  const previous = changed ? [result, unit].filter((part) => part !== null).join(' ') : previous_result;
  return { of: 'result', entry: { ...told.entry, status: 'corrected', previous_result: previous } };
}

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

/** What was asked for and required, is awaited no more and was not told: the laboratory called it final, or cancelled it. */
export function notReported(
  { results, missing_results, withdrawn }: Values,
  expected: { analyte: Analyte; isCancelled: boolean }[],
): KeptMissing[] {
  const told = new Set([...results, ...missing_results, ...withdrawn].map(({ key }) => key.split('#')[0]));
  return expected
    .filter(({ analyte }) => analyte.required && !told.has(analyte.slug))
    .map(({ analyte, isCancelled }) => ({
      key: analyte.slug,
      name: analyte.name,
      slug: analyte.slug,
      loinc: analyte.loinc_code,
      loinc_slug: analyte.loinc_code === null ? null : analyte.slug,
      provider_id: analyte.marker_provider_id,
      source_markers: [sourceMarkerOf(analyte)],
      inferred_failure_type: 'unknown_failure',
      note: isCancelled ? 'The laboratory cancelled this test.' : "Not in the laboratory's final report.",
      reported_at: null,
    }));
}
