// What defines a kind of summary. Its operations, events and rows follow from this.
import type { TObject, TSchema } from 'typebox';
import { toUtc } from '../../wire/moment.ts';
import { calendarDateOf, type Clock } from '../calendar-date.ts';

/** A summary that arrives by push, pull or file. It must fit the schema `input` of its resource. */
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

/** The key of a summary at its source, and its times. */
export type KeyAndTimes = {
  /** Identifies the summary at its source. A later summary with this key replaces it. */
  key: string;
  /** The day of the summary; null if it has none, as a profile. */
  calendar_date: string | null;
  start_at: string | null;
  end_at: string | null;
};

export type SummaryResource = {
  /** The name in rows, in events (`daily.data.<name>`) and in /aggregate. */
  name: string;
  /** The beginning of the names of the schemas. */
  title: string;
  /** The name in paths: /v2/summary/<path>/{user_id}. */
  path: string;
  /** The words for one summary (without an article) and for several summaries, in descriptions. */
  one: string;
  many: string;
  /** The name of the list in responses. Missing if summaries of this kind have no day. */
  list?: string;
  /** The schema of an incoming summary. */
  input: TObject;
  /** The schema of a pushed summary, if it requires more than `input`, which also applies to providers and files. */
  pushed?: TObject;
  /**
   * The limits of one request: how many items, how many values in an item on average (with nested ones), and how many
   * bytes after decompression.
   */
  most: { items: number; valuesEach: number; bytes: number };
  /** The schema in responses and events. */
  shape: TSchema;
  /** The schema of raw payloads, if an operation returns them. */
  rawShape?: TSchema;
  /** The fields that are encrypted: free text, names of people, and private details. */
  sealed: readonly string[];
  /** The fields that name another summary of the user, each with the resource of that summary. */
  references?: Readonly<Record<string, string>>;
  /** The most pushed summaries that may name one other summary. */
  mostNaming?: number;
  /**
   * Set for devices. The `device_id` of a device is the maker's id, for example a serial number. It may lead to the
   * owner of the device, so it is encrypted.
   */
  isDevice?: true;
  /** The field with the points, which are stored separately from the summary. */
  stream?: 'stream' | 'sleep_stream';
  /** Returns values for missing fields that follow from other fields. */
  completed?: (item: SummaryItem) => Record<string, unknown>;
  /**
   * Removes durations that are longer than the session, which data of providers and files may have. Returns the item
   * itself if there are none, and null if the rest is invalid.
   */
  withinSession?: (item: SummaryItem) => SummaryItem | null;
  keyAndTimesOf: (item: SummaryItem, clock: Clock) => KeyAndTimes;
  /** The field with a time whose text may have an offset (`+01:00`). This offset counts if the item states none. */
  clockFrom?: string;
  /**
   * The field with the time at which the session began. Its text may have another offset, because clocks may change
   * during the session, or the person may travel.
   */
  beganAt?: string;
  /** Returns fields of responses that are computed from stored fields. */
  derived?: (item: Record<string, unknown>) => Record<string, unknown>;
};

/** The limits of a request with summaries that have no points. */
export const PLAIN_BATCH = { items: 100, valuesEach: 100, bytes: 1024 * 1024 };

export const keyOf = (item: SummaryItem, otherwise: string): string =>
  item.provider_id ? `id ${item.provider_id}` : otherwise;

/**
 * Returns the key and the times of a summary with a start and an end. `from`, `to` and `day` are names of its fields.
 * The summary belongs to the local day of the field `day`, unless the provider states another day.
 */
export function keyAndTimesFrom(
  item: SummaryItem,
  clock: Clock,
  { from, to = from, day = from }: { from: string; to?: string; day?: string },
): KeyAndTimes {
  const start_at = toUtc(item[from] as string);
  return {
    key: keyOf(item, `at ${start_at}`),
    calendar_date: item.calendar_date ?? calendarDateOf(item[day] as string, clock),
    start_at,
    end_at: toUtc(item[to] as string),
  };
}
