// Turns an incoming summary into a row.
import type { TeamCtx } from '../../context.ts';
import { toUtc } from '../../wire/moment.ts';
import type { UserRow } from '../../users/find.ts';
import { clockOf, offsetWithin } from '../calendar-date.ts';
import { isWithinIngestionDates } from '../../users/ingestion-bounds.ts';
import { pruned } from './fields.ts';
import { origin } from './item.ts';
import type { KeyAndTimes, SummaryItem, SummaryResource } from './resource.ts';

/** An incoming summary with the payload of its provider. */
export type IncomingSummary = {
  item: SummaryItem;
  /** The payload as the provider sent it. For a push, this is the pushed object. */
  raw: unknown;
};

/** The row of a summary before it has an id. */
export type NewSummary = KeyAndTimes & {
  provider: string;
  source_type: string;
  provider_id: string | null;
  app_id: string | null;
  device_id: string | null;
  version: string | null;
  values: Record<string, unknown>;
  texts: Record<string, unknown> | null;
  raw: unknown;
  content_hash: Buffer;
  raw_hash: Buffer;
  /** True if the heart-rate zones were computed from samples. */
  zones_from_samples: boolean;
  /** True if the heart-rate zones will be computed from samples, by a job. */
  awaits_zones: boolean;
  /** The points of the summary, as they are stored; null if it came without points. */
  stream: { text: string; hash: Buffer } | null;
};

/** How a field is stored: encrypted or not (`isSealed`), and whether it is a moment. */
type StoredField = { name: string; isSealed: boolean; isMoment: boolean };

const NO_FIELDS = new Set([...Object.keys(origin), 'calendar_date']);
const storedFields = new Map<SummaryResource, StoredField[]>();

/**
 * Returns the fields of a kind of summary, sorted as `pruned` sorts them. They are computed once, because a push may
 * have thousands of items.
 */
function storedFieldsOf(resource: SummaryResource): StoredField[] {
  let fields = storedFields.get(resource);
  if (!fields) {
    const { input, stream, isDevice, sealed } = resource;
    fields = Object.entries(input.properties as Record<string, { format?: string }>)
      .filter(([name]) => name !== stream && (!NO_FIELDS.has(name) || (isDevice && name === 'device_id')))
      .map(([name, { format }]) => ({ name, isSealed: sealed.includes(name), isMoment: format === 'past-moment' }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    storedFields.set(resource, fields);
  }
  return fields;
}

export function toNewSummary(
  ctx: TeamCtx,
  user: UserRow,
  resource: SummaryResource,
  incoming: IncomingSummary,
): NewSummary {
  const { cipher, team } = ctx;
  const { clockFrom, stream: streamName, isDevice = false } = resource;
  const { raw } = incoming;
  const item: SummaryItem = { ...incoming.item, ...resource.completed?.(incoming.item) };
  const hash = (what: string, text: string): Buffer => cipher.lookupHash('summary', team.id, `${what} ${text}`);

  const timeText = clockFrom ? (item[clockFrom] as string) : '';
  const timezone_offset = item.timezone_offset ?? offsetWithin(timeText);
  const keyAndTimes = resource.keyAndTimesOf(item, clockOf({ ...item, timezone_offset }, user));

  let values: Record<string, unknown> = {};
  const texts: Record<string, unknown> = {};
  for (const { name, isSealed, isMoment } of storedFieldsOf(resource)) {
    const value = name === 'timezone_offset' ? timezone_offset : item[name];
    if (value === null || value === undefined) continue;
    (isSealed ? texts : values)[name] = isMoment ? toUtc(value as string) : pruned(value);
  }
  const began = offsetAtBegin(resource, item);
  if (began !== null && timezone_offset !== null && began !== timezone_offset)
    values = pruned({ ...values, [BEGAN_OFFSET]: began }) as Record<string, unknown>;
  const attributes = {
    provider_id: item.provider_id ?? null,
    app_id: item.app_id ?? null,
    device_id: isDevice ? null : (item.device_id ?? null),
  };
  const points = streamName && (item[streamName] ?? null);
  const streamText = points ? JSON.stringify(pruned(points)) : null;
  const summary = {
    ...keyAndTimes,
    key: isDevice ? hash('device', keyAndTimes.key).toString('hex') : keyAndTimes.key,
    ...attributes,
    provider: item.provider,
    source_type: item.source_type ?? 'unknown',
    version: item.version ? toUtc(item.version) : null,
    values,
    texts: Object.keys(texts).length === 0 ? null : texts,
    zones_from_samples: false,
    awaits_zones: false,
    raw,
    raw_hash: hash('raw', JSON.stringify(pruned(raw))),
    stream: streamText === null ? null : { text: streamText, hash: hash('stream', streamText) },
  };
  return { ...summary, content_hash: contentHash(ctx, summary) };
}

/**
 * The key in `values` of the offset from UTC at the beginning of a session. It is stored only if it differs from the
 * offset at the end. Responses do not have it.
 */
export const BEGAN_OFFSET = 'began_offset';

const offsetAtBegin = ({ beganAt }: SummaryResource, item: SummaryItem): number | null =>
  beganAt === undefined ? null : offsetWithin(item[beganAt] as string);

/** Returns a hash of all fields that responses have. Values and texts must have been `pruned`. */
export function contentHash(
  { cipher, team }: TeamCtx,
  {
    provider_id,
    app_id,
    device_id,
    calendar_date,
    texts,
    values,
  }: Pick<NewSummary, 'provider_id' | 'app_id' | 'device_id' | 'calendar_date' | 'texts' | 'values'>,
): Buffer {
  // These keys are sorted as `pruned` sorts them. `texts` and `values` are pruned already, and their names come last in
  // this order. So we need not prune the complete object again.
  const attributes = pruned({ provider_id, app_id, device_id, calendar_date }) as object;
  const whole = { ...attributes, texts: texts ?? {}, values };
  return cipher.lookupHash('summary', team.id, `told ${JSON.stringify(whole)}`);
}

/** Sets a value that is computed and does not come from the incoming fields. */
export function setValue(ctx: TeamCtx, summary: NewSummary, name: string, value: unknown): void {
  summary.values = pruned({ ...summary.values, [name]: value }) as Record<string, unknown>;
  summary.content_hash = contentHash(ctx, summary);
}

/** Returns a text that identifies a summary among those of its user and kind. */
export const nameOf = ({ provider, source_type, key }: Pick<NewSummary, 'provider' | 'source_type' | 'key'>): string =>
  `${provider} ${source_type} ${key}`;

/**
 * Whether a version is older than another version. False if one of them is unknown: then the summary that arrives later
 * replaces the earlier one.
 */
export const isOlder = (version: string | null, than: string | null): boolean =>
  version !== null && than !== null && version < than;

/**
 * Returns one summary for each name: the last one in the list, unless its version is older. They are in the order in
 * which rows are locked.
 */
export function newestOfEach(summaries: NewSummary[]): NewSummary[] {
  const newest = new Map<string, NewSummary>();
  for (const summary of summaries) {
    const name = nameOf(summary);
    const other = newest.get(name);
    if (!other || !isOlder(summary.version, other.version)) newest.set(name, summary);
  }
  return [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, summary]) => summary);
}

/** Whether the day of a summary is within the user's ingestion dates. True for a summary without a day. */
export const isWithinBounds = (
  user: Pick<UserRow, 'ingestion_start' | 'ingestion_end'>,
  { calendar_date: date }: Pick<KeyAndTimes, 'calendar_date'>,
): boolean => date === null || isWithinIngestionDates(user, date);
