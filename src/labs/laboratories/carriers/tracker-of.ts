import { courierOf } from '../../orders/testkit/couriers.ts';
import { stageOf, type Stage } from './stages.ts';

/** Of one tracker the newest: a parcel has some ten or twenty. */
const MOST_SCANS = 100;
const MOST_NUMBER_LETTERS = 100;
/** A carrier's clock may be ahead. */
const MOST_AHEAD_MS = 86_400_000;
const FIRST_MS = Date.UTC(2000, 0, 1);

/** A parcel with what was told of it, in any order. */
export type Tracker = { number: string; courier: string; scans: { stage: Stage; scanned_at: string }[] };

/**
 * The parcel that an EasyPost event tells of, with all scans that it carries; null where it tells of none, or of nothing that
 * moves one. An event has the whole history of its tracker, so one that was lost is made good by the next.
 */
export function trackerOf(body: Buffer): Tracker | null {
  const { number, carrier, own, history } = partsOf(body);
  if (number === null) return null;
  const newest = Math.max(...history.map(({ at }) => at));
  // The tracker's own status is that of its newest scan, whose time it repeats nowhere.
  const all = [...history, { ...own, at: history.length > 0 ? newest : own.at }];
  const scans = all.flatMap(({ status, detail, at }) => {
    const stage = stageOf(status, detail);
    const isMoment = at >= FIRST_MS && at <= Date.now() + MOST_AHEAD_MS;
    return stage !== null && isMoment ? [{ stage, scanned_at: new Date(at).toISOString() }] : [];
  });
  return scans.length > 0 ? { number, courier: courierOf(carrier), scans } : null;
}

function partsOf(body: Buffer) {
  const event = fieldsOf(parse(body.toString()));
  const result = fieldsOf(event['result']);
  const code = textOf(result['tracking_code']).trim();
  const isTracker = textOf(event['description']).startsWith('tracker.') || result['object'] === 'Tracker';
  const details = Array.isArray(result['tracking_details']) ? (result['tracking_details'] as unknown[]) : [];
  return {
    number: isTracker && code !== '' && code.length <= MOST_NUMBER_LETTERS ? code : null,
    carrier: textOf(result['carrier']),
    own: scanOf({ ...result, datetime: result['updated_at'] }),
    history: details
      .slice(-MOST_SCANS)
      .map((detail) => scanOf(fieldsOf(detail)))
      .filter(({ at }) => !Number.isNaN(at)),
  };
}

const scanOf = (fields: Readonly<Record<string, unknown>>): { status: string; detail: string; at: number } => ({
  status: textOf(fields['status']),
  detail: textOf(fields['status_detail']),
  at: momentOf(textOf(fields['datetime'])),
});

/** A time without a zone is UTC. */
const momentOf = (text: string): number =>
  /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)?$/.test(text)
    ? Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
    : NaN;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
