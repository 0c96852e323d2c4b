import type { LabReport } from '../../../results/report.ts';
import { MOST_OF_REPORT } from '../../../results/report-bounds.ts';
import type { Settings } from '../connections/settings.ts';
import { segmentOf, textAt, type Message, type Segment } from '../codec/message.ts';
import { isDocument, readDocument } from './read-document.ts';
import { readObservation, type CodeMap } from './read-observation.ts';
import { readStatus, statusOfAll, testOf } from './read-status.ts';
import { ResultProblem } from './result-problem.ts';
import { readDate, readTime, type ZonedTime } from './times.ts';

/** A result as the laboratory sent it, and by what it says whose it is. */
export type ReadResult = {
  /** Null where it tells no values yet. */
  report: LabReport | null;
  /** It says that the sample is there. */
  isReceipt: boolean;
  /** All of them: a message for two orders is refused. */
  placerNumbers: string[];
  fillerNumbers: string[];
  sampleIds: string[];
  /** The account that it was sent to (MSH-6); empty where it says none. */
  account: string;
  /** It has a document, of whatever kind, within it or elsewhere. */
  hasDocument: boolean;
  /** The laboratory's own report, as a PDF; 'withdrawn' where it takes that back. */
  document: Buffer | 'withdrawn' | null;
  /** Statuses of the sample that are told beside the values, worst first. */
  rejected: string[];
};

const VERSIONS = new Set(['2.3', '2.3.1', '2.4', '2.5', '2.5.1', '2.6', '2.7', '2.7.1', '2.8']);

/** Refuses what is no result for this deployment. */
export function checkHeader(header: Segment | undefined): void {
  if (textAt(header, 9) !== 'ORU' || !['', 'R01'].includes(textAt(header, 9, { component: 2 })))
    throw new ResultProblem('wrong_type');
  if (!VERSIONS.has(textAt(header, 12))) throw new ResultProblem('wrong_version');
  if (!['', 'P'].includes(textAt(header, 11))) throw new ResultProblem('wrong_processing');
  if (textAt(header, 10) === '') throw new ResultProblem('missing_control_id');
}

/** ORU^R01 as a report. Throws ResultProblem at the first thing that is not right. */
export function readResult(message: Message, settings: Settings, codes: CodeMap): ReadResult {
  refuseOversize(message);
  const groups = groupsOf(message);
  if (groups.length === 0) throw new ResultProblem('missing_report');
  const statuses = groups.map(({ request }) => readStatus(request));
  const specimens = groups.flatMap((group) => group.specimens);
  const observations = groups.flatMap((group) => group.observations.map(({ observation }) => observation));
  return {
    report: statuses.every((status) => status === 'pending')
      ? null
      : reportOf(message, groups, { settings, codes, statuses }),
    isReceipt: groups.some(({ request }) => textAt(request, 25) === 'I'),
    placerNumbers: numbersOf(groups, 2),
    fillerNumbers: numbersOf(groups, 3),
    sampleIds: [...new Set(specimens.flatMap((specimen) => sampleOf([specimen]) ?? []))],
    account: textAt(segmentOf(message, 'MSH'), 6),
    hasDocument: observations.some(isDocument),
    document: readDocument(observations, settings),
    rejected: specimens.map((specimen) => textAt(specimen, 21)).filter((code) => code !== ''),
  };
}

/** Before they are compared with each other. */
function refuseOversize(message: Message): void {
  const count = (name: string): number => message.filter((segment) => segment.name === name).length;
  if (count('OBX') > MOST_OF_REPORT.observations || count('OBR') > MOST_OF_REPORT.observations)
    fail('too_many_observations');
  if (count('SPM') > MOST_OF_REPORT.samples) fail('too_many_samples');
}

type Told = { settings: Settings; codes: CodeMap; statuses: ReturnType<typeof readStatus>[] };

function reportOf(message: Message, groups: Group[], { settings, codes, statuses }: Told): LabReport {
  const time = timesOf(settings);
  const [{ common, request }] = groups as [Group];
  const specimens = groups.flatMap((group) => group.specimens);
  const header = segmentOf(message, 'MSH');
  const laboratories: LabReport['performing_laboratories'] = {};
  const read = groups.map((group) =>
    group.observations.flatMap((noted) => {
      const value = readObservation(noted, { codes, settings, laboratories });
      return value === null ? [] : [{ ...value, sample_id: sampleOf(group.specimens) ?? sampleOf(specimens) }];
    }),
  );
  const [main] = Object.entries(laboratories);
  return {
    status: statusOfAll(statuses),
    tests: groups.map((group, at) => testOf(group, statuses[at] as (typeof statuses)[number], read[at] ?? [])),
    placer_number: textAt(common, 2) || textAt(request, 2) || null,
    filler_number: textAt(common, 3) || textAt(request, 3) || null,
    accession_number: specimens.map((specimen) => textAt(specimen, 30)).find(Boolean) ?? null,
    account_number: textAt(header, 6) || null,
    collected_at: time(request, 7) ?? firstTime(specimens, 17, time),
    received_at: time(request, 14) ?? firstTime(specimens, 18, time),
    reported_at: time(request, 22) ?? time(header, 7) ?? fail('bad_time'),
    patient: patientOf(segmentOf(message, 'PID')),
    provider: providerOf(request),
    laboratory: {
      name: main?.[1].name ?? settings.facility,
      clia_number: /^\d{2}D\d{7}$/.test(main?.[0] ?? '') ? (main?.[0] ?? null) : null,
    },
    performing_laboratories: laboratories,
    samples: specimens.map((specimen) => ({
      sample_id: sampleOf([specimen]) ?? '',
      control_number: textAt(specimen, 30) || null,
      collected_at: time(specimen, 17),
      received_at: time(specimen, 18),
      clinical_information: null,
    })),
    observations: read.flat(),
  };
}

type Noted = { observation: Segment; notes: string[] };
type Group = { common: Segment | undefined; request: Segment; observations: Noted[]; specimens: Segment[] };

/** Each OBR with what follows it; ORC stands before its OBR. What is told twice is told once. */
function groupsOf(message: Message): Group[] {
  const groups: Group[] = [];
  let common: Segment | undefined;
  let noted: string[] | null = null;
  const known = new Map<Group, Set<string>>();
  const isNew = (group: Group, segment: Segment): boolean => {
    const seen = known.get(group) ?? new Set();
    known.set(group, seen);
    const content = contentOf(segment);
    return !seen.has(content) && Boolean(seen.add(content));
  };
  for (const segment of message) {
    const group = groups.at(-1);
    if (segment.name === 'ORC') {
      common = segment;
      noted = null;
    } else if (segment.name === 'OBR') {
      groups.push({ common, request: segment, observations: [], specimens: [] });
      [common, noted] = [undefined, null];
    } else if (segment.name === 'OBX' && group && group.specimens.length === 0) {
      noted = [];
      if (isNew(group, segment)) group.observations.push({ observation: segment, notes: noted });
    } else if (segment.name === 'NTE' && noted)
      noted.push(...(segment.fields[3] ?? []).map((part) => part[0]?.[0] ?? ''));
    else if (segment.name === 'SPM' && group) {
      noted = null;
      if (isNew(group, segment)) group.specimens.push(segment);
    }
  }
  return groups;
}

/** But for its set id. */
const contentOf = ({ name, fields }: Segment): string => JSON.stringify([name, fields.slice(2)]);

type ReadField = (segment: Segment | undefined, field: number) => ZonedTime | null;

function timesOf({ time_zone }: Settings): ReadField {
  return (segment, field) => {
    const text = textAt(segment, field);
    return text === '' ? null : (readTime(text, time_zone) ?? fail('bad_time'));
  };
}

const firstTime = (segments: Segment[], field: number, time: ReadField): ZonedTime | null =>
  segments.map((segment) => time(segment, field)).find((read) => read !== null) ?? null;

/** The placer's id of a sample, else the laboratory's. */
function sampleOf(specimens: Segment[]): string | null {
  const [specimen] = specimens;
  return textAt(specimen, 2) || textAt(specimen, 2, { component: 2 }) || null;
}

const numbersOf = (groups: Group[], field: number): string[] => [
  ...new Set(
    groups
      .flatMap(({ common, request }) => [textAt(common, field), textAt(request, field)])
      .filter((text) => text !== ''),
  ),
];

const SEX: Readonly<Record<string, string>> = {
  F: 'female',
  M: 'male',
  U: 'unknown',
  O: 'other',
  A: 'other',
  N: 'other',
};

function patientOf(pid: Segment | undefined): LabReport['patient'] {
  if (!pid) return null;
  return {
    last_name: textAt(pid, 5) || null,
    first_name: textAt(pid, 5, { component: 2 }) || null,
    dob: readDate(textAt(pid, 7)),
    gender: SEX[textAt(pid, 8)] ?? null,
  };
}

function providerOf(request: Segment): string | null {
  const name = [textAt(request, 16, { component: 3 }), textAt(request, 16, { component: 2 })].filter(Boolean).join(' ');
  return name || null;
}

function fail(code: ConstructorParameters<typeof ResultProblem>[0]): never {
  throw new ResultProblem(code);
}
