// A summary that came in as a row keeps it.
import type { TeamCtx } from '../../context.ts';
import { toUtc } from '../../wire/moment.ts';
import type { UserRow } from '../../users/find.ts';
import { clockOf, offsetWithin } from '../calendar-date.ts';
import { takesDay } from '../../users/ingestion-bounds.ts';
import { pruned } from './fields.ts';
import { origin } from './item.ts';
import type { Place, SummaryItem, SummaryResource } from './resource.ts';

/** A summary as it came in, with the provider's own words. */
export type Incoming = {
  item: SummaryItem;
  /** The provider's payload as it came; of what was pushed the pushed object. */
  raw: unknown;
};

/** What a summary will be as a row, before it has an id. */
export type Candidate = Place & {
  provider: string;
  source_type: string;
  provider_id: string | null;
  app_id: string | null;
  device_id: string | null;
  version: string | null;
  values: Record<string, unknown>;
  texts: Record<string, unknown> | null;
  raw: unknown;
  told_hash: Buffer;
  raw_hash: Buffer;
  /** Whether its zones of heart rate were computed from samples. */
  zones_from_samples: boolean;
  /** Whether they are to be computed from samples after it is stored. */
  awaits_zones: boolean;
  /** The points that came with it, as they are kept. */
  stream: { text: string; hash: Buffer } | null;
};

/** What a row keeps of a field: sealed or not, a moment written as all are. */
type KeptField = { name: string; isSealed: boolean; isMoment: boolean };

const NO_FIELDS = new Set([...Object.keys(origin), 'calendar_date']);
const keptFields = new Map<SummaryResource, KeptField[]>();

/** The fields of a kind in the order of `pruned`; found out once, since a push may have thousands of items. */
function keptFieldsOf(resource: SummaryResource): KeptField[] {
  let fields = keptFields.get(resource);
  if (!fields) {
    const { input, stream, isDevice, sealed } = resource;
    fields = Object.entries(input.properties as Record<string, { format?: string }>)
      .filter(([name]) => name !== stream && (!NO_FIELDS.has(name) || (isDevice && name === 'device_id')))
      .map(([name, { format }]) => ({ name, isSealed: sealed.includes(name), isMoment: format === 'past-moment' }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    keptFields.set(resource, fields);
  }
  return fields;
}

export function toCandidate(ctx: TeamCtx, user: UserRow, resource: SummaryResource, incoming: Incoming): Candidate {
  const { cipher, team } = ctx;
  const { clockFrom, stream: streamName, isDevice = false } = resource;
  const { raw } = incoming;
  const item: SummaryItem = { ...incoming.item, ...resource.completed?.(incoming.item) };
  const hash = (what: string, text: string): Buffer => cipher.lookupHash('summary', team.id, `${what} ${text}`);

  const told = clockFrom ? (item[clockFrom] as string) : '';
  const timezone_offset = item.timezone_offset ?? offsetWithin(told);
  const place = resource.placeOf(item, clockOf({ ...item, timezone_offset }, user));

  let values: Record<string, unknown> = {};
  const texts: Record<string, unknown> = {};
  for (const { name, isSealed, isMoment } of keptFieldsOf(resource)) {
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
  const candidate = {
    ...place,
    key: isDevice ? hash('device', place.key).toString('hex') : place.key,
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
  return { ...candidate, told_hash: toldHash(ctx, candidate) };
}

/** Under what a row keeps the offset at which its session began, where that is not the one at which it ended. No answer tells it. */
export const BEGAN_OFFSET = 'began_offset';

const offsetAtBegin = ({ beganAt }: SummaryResource, item: SummaryItem): number | null =>
  beganAt === undefined ? null : offsetWithin(item[beganAt] as string);

/** Of everything that is told of it; its values and texts as `pruned` has them. */
export function toldHash(
  { cipher, team }: TeamCtx,
  {
    provider_id,
    app_id,
    device_id,
    calendar_date,
    texts,
    values,
  }: Pick<Candidate, 'provider_id' | 'app_id' | 'device_id' | 'calendar_date' | 'texts' | 'values'>,
): Buffer {
  // As `pruned` would have it, which texts and values are already and come last in.
  const attributes = pruned({ provider_id, app_id, device_id, calendar_date }) as object;
  const whole = { ...attributes, texts: texts ?? {}, values };
  return cipher.lookupHash('summary', team.id, `told ${JSON.stringify(whole)}`);
}

/** Gives a candidate a value that follows from something else than what came in. */
export function setValue(ctx: TeamCtx, candidate: Candidate, name: string, value: unknown): void {
  candidate.values = pruned({ ...candidate.values, [name]: value }) as Record<string, unknown>;
  candidate.told_hash = toldHash(ctx, candidate);
}

/** What a summary is known by among those of its user and kind. */
export const nameOf = ({ provider, source_type, key }: Pick<Candidate, 'provider' | 'source_type' | 'key'>): string =>
  `${provider} ${source_type} ${key}`;

/** Whether a version is older than the other; where one is unknown, what came later counts. */
export const isOlder = (version: string | null, than: string | null): boolean =>
  version !== null && than !== null && version < than;

/** One of each name, the later unless its version is older, in the order in which rows are locked. */
export function newestOfEach(candidates: Candidate[]): Candidate[] {
  const newest = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const name = nameOf(candidate);
    const other = newest.get(name);
    if (!other || !isOlder(candidate.version, other.version)) newest.set(name, candidate);
  }
  return [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, candidate]) => candidate);
}

/** Whether a summary lies on a day whose data is taken; what belongs to no day is. */
export const isWithinBounds = (
  user: Pick<UserRow, 'ingestion_start' | 'ingestion_end'>,
  { calendar_date: date }: Pick<Place, 'calendar_date'>,
): boolean => date === null || takesDay(user, date);
