import { textAt, type Segment } from '@phial/hl7/message';
import { readTime, type ZonedTime } from '@phial/hl7/times';
import type { ReportedTest } from '../../../results/lab-report.ts';
import type { Settings } from '../connections/connection-settings.ts';
import type { Group } from './read-groups.ts';
import { readStatus, testOf } from './read-status.ts';
import { codingsAt } from './read-value-of.ts';
import { ResultProblem, type WaitingPart } from './result-problem.ts';

/** An OBR with its status and times. */
export type Request = {
  group: Group;
  status: ReturnType<typeof readStatus>;
  collected_at: ZonedTime | null;
  received_at: ZonedTime | null;
  reported_at: ZonedTime | null;
};

type Requests = { requests: Request[]; unread: WaitingPart[]; unreadTests: ReportedTest[] };

/**
 * Reads the OBRs. If the status or a time of an OBR is unreadable, we omit its values, and its test stays open until
 * somebody repairs the message.
 */
export function readRequests(groups: Group[], settings: Settings): Requests {
  const time = timesOf(settings);
  const requests: Request[] = [];
  const unread: WaitingPart[] = [];
  const unreadTests: ReportedTest[] = [];
  for (const group of groups) {
    const { request, specimens, number } = group;
    try {
      requests.push({
        group,
        status: readStatus(request),
        collected_at: time(request, 7) ?? firstTime(specimens, 17, time),
        received_at: time(request, 14) ?? firstTime(specimens, 18, time),
        reported_at: time(request, 22),
      });
    } catch (error) {
      if (!(error instanceof ResultProblem)) throw error;
      const codes = codingsAt(request, 4).map(({ code }) => code);
      unread.push({ reason: error.code, segment: 'OBR', number, test: null, codes });
      const test = testOf(group, 'partial', []);
      unreadTests.push({ ...test, notes: null, rejected: [], has_document: false, stated_status: null });
    }
  }
  return { requests, unread, unreadTests };
}

/**
 * Returns whether the message contains a report. A laboratory may report about a test that is still pending, for
 * example that it rejected the sample.
 */
export const hasReport = (requests: Request[]): boolean =>
  requests.some(
    ({ status, group: { notes, observations, specimens } }) =>
      status !== 'pending' ||
      notes.some((note) => note !== '') ||
      specimens.some((specimen) => textAt(specimen, 21) !== '') ||
      observations.some(({ observation }) => !['I', 'O', 'N'].includes(textAt(observation, 11).toUpperCase())),
  );

/** Returns the fields of an OBR, without its status and its values. */
export const factsOf = ({ group: { common, request, specimens }, reported_at }: Request): Partial<ReportedTest> => ({
  placer_number: textAt(request, 2) || textAt(common, 2) || null,
  filler_number: textAt(request, 3) || textAt(common, 3) || null,
  accession_numbers: accessionsOf(specimens),
  sample_ids: specimens.flatMap((specimen) => sampleOf([specimen]) ?? []),
  reported_at,
});

/** Returns the newest time at which one of the results was reported. */
export const newestOf = (requests: Request[]): ZonedTime | null =>
  requests
    .flatMap(({ reported_at }) => reported_at ?? [])
    .reduce<ZonedTime | null>((newest, at) => (newest && newest.timestamp >= at.timestamp ? newest : at), null);

type ReadField = (segment: Segment | undefined, field: number) => ZonedTime | null;

export function timesOf({ time_zone }: Settings): ReadField {
  return (segment, field) => {
    const text = textAt(segment, field);
    return text === '' ? null : (readTime(text, time_zone) ?? invalid());
  };
}

export const firstTime = (segments: Segment[], field: number, time: ReadField): ZonedTime | null =>
  segments.map((segment) => time(segment, field)).find((read) => read !== null) ?? null;

/** Returns the id of the first sample: our id (the placer's), or else the laboratory's id (the filler's). */
export function sampleOf(specimens: Segment[]): string | null {
  const [specimen] = specimens;
  return textAt(specimen, 2) || textAt(specimen, 2, { component: 2 }) || null;
}

export const accessionsOf = (specimens: Segment[]): string[] => [
  ...new Set(specimens.map((specimen) => textAt(specimen, 30)).filter((text) => text !== '')),
];

function invalid(): never {
  throw new ResultProblem('bad_time');
}
