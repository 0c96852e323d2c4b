import { courierOf } from '../orders/testkit/couriers.ts';
import { stageOf, type Stage } from './stages.ts';

/** The most scans that we read of one parcel: only its newest scans. A parcel has about ten or twenty scans. */
const MAX_SCANS = 100;
const MAX_NUMBER_LETTERS = 100;
/** A scan's time may be this far in the future, because the carrier's clock may be ahead of ours. */
const MAX_AHEAD_MS = 86_400_000;
const FIRST_MS = Date.UTC(2000, 0, 1);

/** A parcel and its scans, in any order. */
export type Tracker = { number: string; courier: string; scans: { stage: Stage; scanned_at: string }[] };

/**
 * Reads the parcel of an EasyPost event with all its scans. Returns null if the event is not about a parcel, or if none
 * of its scans changes the status of an order. EasyPost calls a parcel a tracker. Each event contains the complete
 * history of its tracker, so the next event makes up for a lost one.
 */
export function trackerOf(body: Buffer): Tracker | null {
  const { number, carrier, own, history } = partsOf(body);
  if (number === null) return null;
  const newest = Math.max(...history.map(({ at }) => at));
  // A tracker states the status of its newest scan, but not the time of that scan. We take the newest time of the
  // history.
  const all = [...history, { ...own, at: history.length > 0 ? newest : own.at }];
  const scans = all.flatMap(({ status, detail, at }) => {
    const stage = stageOf(status, detail);
    const isMoment = at >= FIRST_MS && at <= Date.now() + MAX_AHEAD_MS;
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
    number: isTracker && code !== '' && code.length <= MAX_NUMBER_LETTERS ? code : null,
    carrier: textOf(result['carrier']),
    own: scanOf({ ...result, datetime: result['updated_at'] }),
    history: details
      .slice(-MAX_SCANS)
      .map((detail) => scanOf(fieldsOf(detail)))
      .filter(({ at }) => !Number.isNaN(at)),
  };
}

const scanOf = (fields: Readonly<Record<string, unknown>>): { status: string; detail: string; at: number } => ({
  status: textOf(fields['status']),
  detail: textOf(fields['status_detail']),
  at: momentOf(textOf(fields['datetime'])),
});

/** Parses a time. A time without a zone is in UTC. */
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
