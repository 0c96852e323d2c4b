// Distinguishes the apps and devices from which the records of an export come, if they have the same source type.
import { createHash } from 'node:crypto';
import type { SourceType } from '../../../source.ts';
import { sourceTypeOf } from '../source-type.ts';

/** The most sources that we distinguish for each series and source type. Records of further sources have no app_id. */
const MAX_SOURCES = 25;
const LENGTH = 32;
/** The most characters that we read of the text of a source. */
const LONGEST = 1_000;
/** Finds `Watch6,2` in `…, hardware:Watch6,2, software:10.1>`. */
const HARDWARE = /hardware:(.+?)(?:, \w+:|>|$)/;

type Origin = { device?: string; sourceName?: string };

/** The digests by the text of the source, for each resource and source type. */
const known = new Map<string, Map<string, string>>();

/**
 * Returns the source of a record. An export has the names that the user gave to sources, for example `Ada's iPhone`.
 * The parser writes only a digest of the name, and the service replaces it by a keyed hash. Two watches of the same
 * name are distinguished by their hardware (`Watch6,2`). The version of the software does not count, so an update makes
 * no new source.
 */
export function sourceOf(resource: string, record: Origin): { source_type: SourceType; app_id: string | null } {
  const source_type = sourceTypeOf(record);
  const of = `${resource} ${source_type}`;
  const ofKind = known.get(of) ?? new Map<string, string>();
  known.set(of, ofKind);
  const text = `${record.sourceName ?? ''}\n${HARDWARE.exec(record.device ?? '')?.[1] ?? ''}`.slice(0, LONGEST);
  const before = ofKind.get(text);
  if (before !== undefined) return { source_type, app_id: before };
  if (ofKind.size >= MAX_SOURCES) return { source_type, app_id: null };
  const digest = createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
  ofKind.set(text, digest);
  return { source_type, app_id: digest };
}
