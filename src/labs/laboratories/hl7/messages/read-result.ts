import { isCalendarDate } from '../../../../wire/birth-date.ts';
import type { LabReport, Observation } from '../../../results/report.ts';
import { MOST_OF_REPORT } from '../../../results/report-bounds.ts';
import type { Connection } from '../connections/find-connection.ts';
import type { Settings } from '../connections/settings.ts';
import { segmentOf, textAt, type Message, type Segment } from '../codec/message.ts';
import { isDocument, readDocument } from './read-document.ts';
import { groupsOf, type Group } from './read-groups.ts';
import type { CodeMap } from './read-observation.ts';
import { readStatus, statusOfAll, testOf } from './read-status.ts';
import { readValues } from './read-values.ts';
import { ResultProblem } from './result-problem.ts';
import { readDate, readTime, type ZonedTime } from './times.ts';

/** A result as the laboratory sent it, and by what it says whose it is. */
export type ReadResult = {
  /** Null where it tells nothing yet: neither values nor notes. */
  report: LabReport | null;
  /** It says that the sample is there. */
  isReceipt: boolean;
  /** All of them: a message for two orders is refused. */
  placerNumbers: string[];
  fillerNumbers: string[];
  sampleIds: string[];
  /** Under which the laboratory received the samples. */
  accessionNumbers: string[];
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
export function readResult(message: Message, connection: Connection, codes: CodeMap): ReadResult {
  refuseOversize(message);
  const groups = groupsOf(message);
  if (groups.length === 0) throw new ResultProblem('missing_report');
  const statuses = groups.map(({ request }) => readStatus(request));
  const specimens = groups.flatMap((group) => group.specimens);
  const observations = groups.flatMap((group) => group.observations.map(({ observation }) => observation));
  return {
    report:
      statuses.every((status) => status === 'pending') && groups.every(({ notes }) => notes.every((n) => n === ''))
        ? null
        : reportOf(message, groups, { connection, codes, statuses }),
    isReceipt: groups.some(({ request }) => textAt(request, 25) === 'I'),
    placerNumbers: numbersOf(groups, 2),
    fillerNumbers: numbersOf(groups, 3),
    sampleIds: [...new Set(specimens.flatMap((specimen) => sampleOf([specimen]) ?? []))],
    accessionNumbers: accessionsOf(specimens),
    account: textAt(segmentOf(message, 'MSH'), 6),
    hasDocument: observations.some(isDocument),
    document: readDocument(observations, connection.settings),
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

type Told = { connection: Connection; codes: CodeMap; statuses: ReturnType<typeof readStatus>[] };

function reportOf(message: Message, groups: Group[], { connection, codes, statuses }: Told): LabReport {
  const { settings } = connection;
  const time = timesOf(settings);
  const [{ common, request }] = groups as [Group];
  const specimens = groups.flatMap((group) => group.specimens);
  const header = segmentOf(message, 'MSH');
  const laboratories: LabReport['performing_laboratories'] = {};
  const sample = (group: Group): string | null => sampleOf(group.specimens) ?? sampleOf(specimens);
  const read = readValues(groups, sample, { codes, settings, laboratories });
  return {
    status: statusOfAll(statuses),
    tests: groups.map((group, at) => testOf(group, statuses[at] as (typeof statuses)[number], read[at] ?? [])),
    placer_number: textAt(common, 2) || textAt(request, 2) || null,
    filler_number: textAt(common, 3) || textAt(request, 3) || null,
    accession_number: accessionsOf(specimens)[0] ?? null,
    account_number: textAt(header, 6) || null,
    collected_at: time(request, 7) ?? firstTime(specimens, 17, time),
    received_at: time(request, 14) ?? firstTime(specimens, 18, time),
    reported_at: time(request, 22) ?? time(header, 7) ?? fail('bad_time'),
    patient: patientOf(segmentOf(message, 'PID')),
    provider: providerOf(request),
    laboratory: laboratoryOf(connection, laboratories, read.flat()),
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

/** The one that each value says it was done by, where that is one; else the one that is connected and reports. */
function laboratoryOf(
  { name, clia_number }: Connection,
  laboratories: LabReport['performing_laboratories'],
  observations: Observation[],
): LabReport['laboratory'] {
  const [key = '', ...others] = new Set(observations.map(({ performing_laboratory }) => performing_laboratory ?? ''));
  const only = others.length === 0 ? laboratories[key] : undefined;
  if (!only) return { name, clia_number };
  return { name: only.name, clia_number: CLIA.test(key) ? key : null };
}

const CLIA = /^\d{2}D\d{7}$/;

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

const accessionsOf = (specimens: Segment[]): string[] => [
  ...new Set(specimens.map((specimen) => textAt(specimen, 30)).filter((text) => text !== '')),
];

const SEX: Readonly<Record<string, string>> = {
  F: 'female',
  M: 'male',
  U: 'unknown',
  O: 'other',
  A: 'other',
  N: 'other',
};

/** Null where it is not told to the day. */
function birthDateOf(text: string): string | null {
  const day = readDate(text);
  return day === null || isCalendarDate(day) ? day : fail('bad_time');
}

function patientOf(pid: Segment | undefined): LabReport['patient'] {
  if (!pid) return null;
  return {
    last_name: textAt(pid, 5) || null,
    first_name: textAt(pid, 5, { component: 2 }) || null,
    dob: birthDateOf(textAt(pid, 7)),
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
