// The type of a kind of summary. Its operations, events and rows are made from it.
import type { TObject, TSchema } from 'typebox';
import { toUtc } from '../../wire/moment.ts';
import { calendarDateOf, type Clock } from '../calendar-date.ts';

/** A summary that arrives by push, pull or file. It must be valid for `input` of its resource. */
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
  /** Identifies the summary at its source. A later summary with the same key replaces it. */
  key: string;
  /** The day of the summary; null for a summary that belongs to no day, for example a profile. */
  calendar_date: string | null;
  start_at: string | null;
  end_at: string | null;
};

export type SummaryResource = {
  /** The name in rows, in events (`daily.data.<name>`) and in /aggregate. */
  name: string;
  /** The beginning of the names of its schemas. */
  title: string;
  /** The name in paths: /v2/summary/<path>/{user_id}. */
  path: string;
  /** The words for one summary (without an article) and for several summaries in sentences. */
  one: string;
  many: string;
  /** The key of the list in responses. It is missing if summaries of this kind belong to no day. */
  list?: string;
  /** The schema of an incoming summary. */
  input: TObject;
  /** The schema of a pushed summary, if it requires more than the schema for providers and files. */
  pushed?: TObject;
  /**
   * The limits of one request: the number of items, the average number of values in each, including nested ones, and
   * the bytes after decompression.
   */
  most: { items: number; valuesEach: number; bytes: number };
  /** The schema in responses and events. */
  shape: TSchema;
  /** The schema of its raw payloads, if there is an operation that returns them. */
  rawShape?: TSchema;
  /** The fields that we seal: free text, names of people and private details. */
  sealed: readonly string[];
  /** The fields that name another summary of the user, each with the resource of that summary. */
  references?: Readonly<Record<string, string>>;
  /** The most pushed summaries that may name the same one. */
  mostNaming?: number;
  /**
   * Set for devices. The `device_id` of a device is the maker's own id. We seal it, because it identifies one object in
   * the world.
   */
  isDevice?: true;
  /** The field whose points we store separately from the summary. */
  stream?: 'stream' | 'sleep_stream';
  /** Returns values for missing fields that can be computed from other fields. */
  completed?: (item: SummaryItem) => Record<string, unknown>;
  /**
   * Removes times that are longer than the session. Data of a provider or a file may have such times. Returns the item
   * itself if there are none, and null if the item is invalid without them.
   */
  withinSession?: (item: SummaryItem) => SummaryItem | null;
  keyAndTimesOf: (item: SummaryItem, clock: Clock) => KeyAndTimes;
  /** The field with the time whose text may contain the offset, if the item itself states none. */
  clockFrom?: string;
  /**
   * The field with the time at which the session began. Its text may contain another offset, because clocks may change
   * during the session or the person may travel.
   */
  beganAt?: string;
  /** Returns fields of responses that are computed from the stored fields. */
  derived?: (item: Record<string, unknown>) => Record<string, unknown>;
};

/** The limits of a batch of summaries that have no points. */
export const PLAIN_BATCH = { items: 100, valuesEach: 100, bytes: 1024 * 1024 };

export const keyOf = (item: SummaryItem, otherwise: string): string =>
  item.provider_id ? `id ${item.provider_id}` : otherwise;

/**
 * Returns a function that finds the key and times of a summary with a start and an end. The summary belongs to the
 * local day of the field `day`, unless the provider names another day.
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
