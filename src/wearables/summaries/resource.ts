// What a kind of summary is: everything that its operations, events and rows are made from.
import type { TObject, TSchema } from 'typebox';
import { toUtc } from '../../wire/moment.ts';
import { calendarDateOf, type Clock } from '../calendar-date.ts';

/** A summary as any way in hands it over: what `input` of its resource lets through. */
export type SummaryItem = {
  provider: string;
  source_type?: string;
  app_id?: string | null;
  device_id?: string | null;
  provider_id?: string | null;
  version?: string | null;
  calendar_date?: string | null;
  timezone_offset?: number | null;
  time_zone?: string | null;
  [field: string]: unknown;
};

/** Which summary of its source it is, and when it was. */
export type Place = {
  /** Names it at its source: a later one with the same key replaces it. */
  key: string;
  /** Null of what belongs to no day, as a profile. */
  calendar_date: string | null;
  start_at: string | null;
  end_at: string | null;
};

export type SummaryResource = {
  /** As rows, events (`daily.data.<name>`) and /aggregate name it. */
  name: string;
  /** As the names of its schemas begin. */
  title: string;
  /** As paths name it: /v2/summary/<path>/{user_id}. */
  path: string;
  /** As sentences name one of them, without an article, and many. */
  one: string;
  many: string;
  /** The key of the answer that has those of some days; left out where they belong to no day. */
  list?: string;
  /** How one comes in. */
  input: TObject;
  /** How one is pushed, where more is asked of it than of what a provider or a file tells. */
  pushed?: TObject;
  /** Of one request; bytes unpacked, values with everything in them on average. */
  most: { items: number; valuesEach: number; bytes: number };
  /** How one is told, in answers and events. */
  shape: TSchema;
  /** How its raw payloads are told, where there is an operation for them. */
  rawShape?: TSchema;
  /** Fields that are kept sealed: free text, what names people or tells of what is nobody's business. */
  sealed: readonly string[];
  /** Fields that name another summary of the user, with its resource. */
  references?: Readonly<Record<string, string>>;
  /** How many of them may name the same one, where they are pushed. */
  mostNaming?: number;
  /** A device: its `device_id` is the maker's own, and kept sealed, since it tells one thing in the world from all others. */
  isDevice?: true;
  /** The field whose points are kept beside the summary. */
  stream?: 'stream' | 'sleep_stream';
  /** Fields that follow from those that came, where they did not come themselves. */
  completed?: (item: SummaryItem) => Record<string, unknown>;
  /**
   * Without times that are longer than the session, as a provider or a file may tell them; what came where none is, and null where
   * nothing is left without them.
   */
  withinSession?: (item: SummaryItem) => SummaryItem | null;
  placeOf: (item: SummaryItem, clock: Clock) => Place;
  /** The time whose text may tell the offset that the item itself does not. */
  clockFrom?: string;
  /** The time at which it began, whose text may tell another offset: clocks were changed meanwhile, or the person travelled. */
  beganAt?: string;
  /** What the shape has beside fields that came in. */
  derived?: (item: Record<string, unknown>) => Record<string, unknown>;
};

/** What a batch of plain summaries is made of at most. */
export const PLAIN_BATCH = { items: 100, valuesEach: 100, bytes: 1024 * 1024 };

export const keyOf = (item: SummaryItem, otherwise: string): string =>
  item.provider_id ? `id ${item.provider_id}` : otherwise;

/** Of what has a start and an end: it belongs to the local day of the field `day`, unless the provider says otherwise. */
export function placeInTime(
  item: SummaryItem,
  clock: Clock,
  { from, to = from, day = from }: { from: string; to?: string; day?: string },
): Place {
  const start_at = toUtc(item[from] as string);
  return {
    key: keyOf(item, `at ${start_at}`),
    calendar_date: item.calendar_date ?? calendarDateOf(item[day] as string, clock),
    start_at,
    end_at: toUtc(item[to] as string),
  };
}
