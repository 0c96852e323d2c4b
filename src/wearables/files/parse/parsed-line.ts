import type { SampleInputValue } from '../../timeseries/sample-input.ts';
import type { FileKind } from '../file-kind.ts';
import type { Skipped, SkipReason } from '../skipped.ts';

/** A sample that a parser writes. It has the shape of a pushed sample, so that the same checks apply. */
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
 * A summary that a parser writes. `cycle` has the stages of a sleep, in the shape of a sleep cycle. `raw` has the parts
 * of the file for which Phial has no field, under the names of the file.
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
       * The type is `unknown`, because a malicious file may have taken control of the parser process. The service
       * checks the samples and summaries of each line.
       */
      samples: unknown[];
      summaries: unknown[];
      /** How many records we did not store, by type and reason. */
      skipped: Skipped[];
      /** The kind of the file. For an archive, it is found only when the parser has read the list of its files. */
      kind: FileKind;
      /** The part of the file that was read, from 0 to 1. */
      progress: number;
    }
  | { done: true }
  | { failed: string };

/** Takes everything that a parser finds. */
export type Sink = {
  sample: (sample: ParsedSample) => void;
  summary: (summary: ParsedSummary) => void;
  /** Counts a record that is not stored. `type` is the name of the record's type in the file. */
  skip: (type: string, reason: SkipReason, records?: number) => void;
  /**
   * Reports the progress. If a line is full, writes it and waits until the reader has taken it. Parsers call this
   * often.
   */
  flush: (progress: number) => Promise<void>;
};
