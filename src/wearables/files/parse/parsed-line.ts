import type { SampleInputValue } from '../../timeseries/sample-input.ts';
import type { FileKind } from '../file-kind.ts';
import type { Skipped, SkipReason } from '../skipped.ts';

/** A sample that a parser writes. It has the shape of a pushed sample, so that we can apply the same checks. */
export type ParsedSample = Pick<
  SampleInputValue,
  | 'resource'
  | 'provider'
  | 'source_type'
  | 'app_id'
  | 'timestamp'
  | 'start'
  | 'end'
  | 'timezone_offset'
  | 'unit'
  | 'value'
  | 'systolic'
  | 'diastolic'
  | 'type'
  | 'sensor_location'
  | 'intensity'
  | 'tags'
  | 'delivery_mode'
>;

/**
 * A summary that a parser writes. `cycle` has the stages of a sleep as a sleep cycle. `raw` has the data of the file
 * for which we have no field, under the file's names.
 */
export type ParsedSummary = {
  resource: 'workouts' | 'sleep' | 'activity' | 'body' | 'profile' | 'electrocardiogram';
  item: Record<string, unknown>;
  cycle?: Record<string, unknown>;
  raw?: Record<string, unknown>;
};

/** A line that the parser process writes. */
export type ParsedLine =
  | {
      /**
       * The type is `unknown`, because the parser process has read an untrusted file. The reader checks samples and
       * summaries.
       */
      samples: unknown[];
      summaries: unknown[];
      /** The number of records that we do not store, by type and reason. */
      skipped: Skipped[];
      /** The kind of the file. If it is an archive, the kind is only known from its list of files. */
      kind: FileKind;
      /** The part of the file that the parser has read, from 0 to 1. */
      progress: number;
    }
  | { done: true }
  | { failed: string };

/** The receiver of everything that a parser finds. */
export type Sink = {
  sample: (sample: ParsedSample) => void;
  summary: (summary: ParsedSummary) => void;
  /** Counts a record that we do not store. `type` is the file's name for it. */
  skip: (type: string, reason: SkipReason, records?: number) => void;
  /** Reports the progress. If a chunk is full, waits until the reader has taken it. Parsers should call this often. */
  flush: (progress: number) => Promise<void>;
};
