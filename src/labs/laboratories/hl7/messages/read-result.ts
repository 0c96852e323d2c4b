import { segmentOf, textAt, type Message, type Segment } from '@phial/hl7/message';
import { delimitersOfMessage } from '@phial/hl7/parse';
import type { LabReport, Observation, ReportedTest } from '../../../results/lab-report.ts';
import { MAX_OF_REPORT } from '../../../results/report-bounds.ts';
import type { Connection } from '../connections/find-connection.ts';
import type { Settings } from '../connections/connection-settings.ts';
import { accountOf } from './account-of.ts';
import { isDocument, readDocument } from './read-document.ts';
import { groupsOf, type Group } from './read-groups.ts';
import { codesOf, type CodeMap } from './read-obx.ts';
import { patientOf } from './read-patient.ts';
import {
  accessionsOf,
  factsOf,
  firstTime,
  hasReport,
  newestOf,
  readRequests,
  sampleOf,
  timesOf,
  type Request,
} from './read-requests.ts';
import { statusOfAll, testOf } from './read-status.ts';
import { readValues } from './read-values.ts';
import { ResultProblem, type WaitingPart, type Warning, type Warnings } from './result-problem.ts';

/** A result as the laboratory sent it, with the fields that identify its order. */
export type ReadResult = {
  /**
   * The readable part of the report. Null if there are neither values nor notes yet, or if the entire report waits for
   * repair.
   */
  report: LabReport | null;
  /** The unreadable parts, which are not in the report. */
  waits: WaitingPart[];
  /**
   * Codes of parts that we stored as the laboratory wrote them, and of parts that we omitted. The operator should check
   * those parts.
   */
  warnings: Warning[];
  /** Whether the message reports that the sample has arrived. */
  isReceipt: boolean;
  /**
   * All placer numbers (our order numbers) in the message. We need all of them, because we refuse a message about two
   * orders.
   */
  placerNumbers: string[];
  fillerNumbers: string[];
  sampleIds: string[];
  /** The numbers that the laboratory assigned to the samples on arrival. */
  accessionNumbers: string[];
  /** The account in the message (MSH-6, or the field that the settings name); empty if there is none. */
  account: string;
  /** Whether the message contains a document of any kind, or a pointer to one. */
  hasDocument: boolean;
  /** The laboratory's own report as a PDF, or 'withdrawn' if the laboratory takes it back. */
  document: Buffer | 'withdrawn' | null;
};

const VERSIONS = new Set('2.2 2.3 2.3.1 2.4 2.5 2.5.1 2.6 2.7 2.7.1 2.8 2.8.1 2.8.2 2.9 2.9.1'.split(' '));

/** Throws ResultProblem if the header does not say that the message is a result for this deployment. */
export function checkHeader(header: Segment | undefined): void {
  if (textAt(header, 9) !== 'ORU' || !['', 'R01'].includes(textAt(header, 9, { component: 2 })))
    throw new ResultProblem('wrong_type');
  checkEnvelope(header);
}

/** Checks those fields of the header that messages of all types have. */
export function checkEnvelope(header: Segment | undefined): void {
  if (!VERSIONS.has(textAt(header, 12))) throw new ResultProblem('wrong_version');
  if (!['', 'P'].includes(textAt(header, 11).toUpperCase())) throw new ResultProblem('wrong_processing');
  if (textAt(header, 10) === '') throw new ResultProblem('missing_control_id');
}

/**
 * Reads a message of results (ORU^R01) as a report. Throws ResultProblem if the message is not a result, or if nothing
 * in it is usable. If only one part has a problem, only that part waits for repair.
 */
export function readResult(
  message: Message,
  connection: Connection,
  codes: CodeMap,
  warnings: Warnings = new Set(),
): ReadResult {
  refuseOversize(message);
  refuseSeveralPatients(message);
  const { groups, waits } = groupsOf(message, warnings);
  if (groups.length === 0) throw new ResultProblem('missing_report');
  const specimens = groups.flatMap((group) => group.specimens);
  const noted = groups.flatMap((group) => group.observations);
  const observations = noted.map(({ observation }) => observation);
  const { requests, unread, unreadTests } = readRequests(groups, connection.settings);
  const { document, broken } = documentOf(noted, connection.settings);
  const read =
    requests.length === 0
      ? null
      : reportOf(message, requests, { connection, codes, warnings, strays: waits.length > 0, unreadTests });
  return {
    report: read && hasReport(requests) ? read.report : null,
    waits: [...waits, ...unread, ...(read?.waits ?? []), ...broken].toSorted((a, b) => a.number - b.number),
    warnings: [...warnings],
    isReceipt: groups.some(({ request }) => textAt(request, 25).toUpperCase() === 'I'),
    placerNumbers: numbersOf(groups, 2),
    fillerNumbers: numbersOf(groups, 3),
    sampleIds: [...new Set(specimens.flatMap((specimen) => sampleOf([specimen]) ?? []))],
    accessionNumbers: accessionsOf(specimens),
    account: accountOf(message, connection.settings),
    hasDocument: observations.some(isDocument),
    document,
  };
}

/** Returns the document, or the reason why we cannot store it. */
function documentOf(
  noted: Group['observations'],
  settings: Settings,
): { document: ReadResult['document']; broken: WaitingPart[] } {
  try {
    const document = readDocument(
      noted.map(({ observation }) => observation),
      settings,
    );
    return { document, broken: [] };
  } catch (error) {
    if (!(error instanceof ResultProblem)) throw error;
    const { observation, number } = noted.find(({ observation }) =>
      isDocument(observation),
    ) as Group['observations'][0];
    return {
      document: null,
      broken: [{ reason: error.code, segment: 'OBX', number, test: null, codes: codesOf(observation) }],
    };
  }
}

/**
 * Throws if the message names several patients. On arrival, we split a message by patient. A repaired message, or a
 * message with too many patients to split, may still have several.
 */
function refuseSeveralPatients(message: Message): void {
  const patients = message.filter(({ name }) => name === 'PID').map(({ fields }) => JSON.stringify(fields.slice(2)));
  if (new Set(patients).size > 1) fail('several_patients');
}

/**
 * Throws if the message has too many segments. Later steps compare segments with each other and would take too long.
 */
function refuseOversize(message: Message): void {
  const count = (name: string): number => message.filter((segment) => segment.name === name).length;
  if (count('OBX') > MAX_OF_REPORT.observations || count('OBR') > MAX_OF_REPORT.observations)
    fail('too_many_observations');
  if (count('SPM') > MAX_OF_REPORT.samples) fail('too_many_samples');
}

type Within = {
  connection: Connection;
  codes: CodeMap;
  warnings: Warnings;
  /** True if a value waits for repair and we do not know to which test it belongs. */
  strays: boolean;
  /** Tests whose status or times could not be read. */
  unreadTests: ReportedTest[];
};

function reportOf(
  message: Message,
  requests: Request[],
  { connection, codes, warnings, strays, unreadTests }: Within,
): { report: LabReport; waits: WaitingPart[] } {
  const { settings } = connection;
  const time = timesOf(settings);
  const groups = requests.map(({ group }) => group);
  const [{ common, request }] = groups as [Group];
  const [{ collected_at, received_at }] = requests as [Request];
  const specimens = groups.flatMap((group) => group.specimens);
  const header = segmentOf(message, 'MSH');
  const message_at = time(header, 7);
  const reported_at = newestOf(requests);
  const laboratories: LabReport['performing_laboratories'] = {};
  const ofGroup = (group: Group): Pick<Observation, 'sample_id' | 'reported_at'> => ({
    sample_id: sampleOf(group.specimens) ?? sampleOf(specimens),
    reported_at: requests[groups.indexOf(group)]?.reported_at ?? null,
  });
  const delimiters = delimitersOfMessage(message);
  const within = { codes, settings, delimiters, laboratories, warnings };
  const { observations: read, waits } = readValues(groups, ofGroup, within);
  const observations = read.flat();
  const statuses = requests.map(({ status }) => status);
  const isWaiting = (at: number): boolean => waits.some(({ test }) => test === at);
  const report: LabReport = {
    status: waits.length > 0 || strays || unreadTests.length > 0 ? 'partial' : statusOfAll(statuses),
    tests: [
      ...requests.map((each, at) => testOfRequest(each, read[at] ?? [], strays || isWaiting(at))),
      ...unreadTests,
    ],
    placer_number: textAt(common, 2) || textAt(request, 2) || null,
    filler_number: textAt(common, 3) || textAt(request, 3) || null,
    accession_number: accessionsOf(specimens)[0] ?? null,
    account_number: accountOf(message, settings) || null,
    collected_at: collected_at ?? firstTime(specimens, 17, time),
    received_at: received_at ?? firstTime(specimens, 18, time),
    reported_at: reported_at ?? message_at ?? fail('bad_time'),
    message_at,
    ...(reported_at === null ? { undated: true } : {}),
    patient: patientOf(segmentOf(message, 'PID')),
    provider: providerOf(request),
    laboratory: laboratoryOf(connection, laboratories, observations),
    performing_laboratories: laboratories,
    samples: specimens.map((specimen) => ({
      sample_id: sampleOf([specimen]) ?? '',
      control_number: textAt(specimen, 30) || null,
      collected_at: time(specimen, 17),
      received_at: time(specimen, 18),
      clinical_information: null,
    })),
    observations,
  };
  return { report, waits };
}

/** Returns a test. If a part that waits for repair belongs to the test, or may belong to it, the test stays open. */
function testOfRequest(request: Request, read: Observation[], waits: boolean): ReportedTest {
  const test = { ...testOf(request.group, request.status, read), ...factsOf(request) };
  return waits ? { ...test, status: 'partial', stated_status: test.status } : test;
}

/**
 * Returns the laboratory that performed the tests, if all values name the same one. Otherwise it returns the connected
 * laboratory, which sent the report.
 */
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

const numbersOf = (groups: Group[], field: number): string[] => [
  ...new Set(
    groups
      .flatMap(({ common, request }) => [textAt(common, field), textAt(request, field)])
      .filter((text) => text !== ''),
  ),
];

function providerOf(request: Segment): string | null {
  const name = [textAt(request, 16, { component: 3 }), textAt(request, 16, { component: 2 })].filter(Boolean).join(' ');
  return name || null;
}

function fail(code: ConstructorParameters<typeof ResultProblem>[0]): never {
  throw new ResultProblem(code);
}
