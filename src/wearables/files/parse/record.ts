import type { SampleInputValue } from '../../timeseries/sample-input.ts';
import type { FileKind } from '../file-kind.ts';
import type { Skipped, SkipReason } from '../skipped.ts';

/** A sample as the parser of a file tells it: in the words of what is pushed, so that the same checks hold for it. */
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
 * A summary likewise; of a sleep its stages as the sleep cycle that names it. `raw` is what the file says beyond the fields that there
 * are here, as it says it.
 */
export type ParsedSummary = {
  resource: 'workouts' | 'sleep' | 'activity' | 'body' | 'profile' | 'electrocardiogram';
  item: Record<string, unknown>;
  cycle?: Record<string, unknown>;
  raw?: Record<string, unknown>;
};

/** What the parser's process writes: a line each. */
export type ParsedLine =
  | {
      /** Checked by whoever reads them, as the summaries: the process that wrote them has read a stranger's file. */
      samples: unknown[];
      summaries: unknown[];
      /** Records that are not stored, by type and reason. */
      skipped: Skipped[];
      /** What the file turned out to be: of an archive only what is in it tells. */
      kind: FileKind;
      /** How far the file is read, from 0 to 1. */
      progress: number;
    }
  | { done: true }
  | { failed: string };

/** Where a parser puts what it finds. */
export type Sink = {
  sample: (sample: ParsedSample) => void;
  summary: (summary: ParsedSummary) => void;
  /** Counts what is not stored. `type` is the file's own word for it. */
  skip: (type: string, reason: SkipReason, records?: number) => void;
  /** Says how far the file is read, and waits until the reader has taken what there is; call it often. */
  flush: (progress: number) => Promise<void>;
};
