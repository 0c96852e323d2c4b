// Which app or device of its kind a record of an export is from.
import { createHash } from 'node:crypto';
import type { SourceType } from '../../../source.ts';
import { sourceTypeOf } from '../source-type.ts';

/** Sources of one series and kind of device that are told apart; what comes after them stays together. */
const MOST_SOURCES = 25;
const LENGTH = 32;
/** What a name is told apart by. */
const LONGEST = 1_000;
/** `hardware:Watch6,2`, up to the next part of the text. */
const HARDWARE = /hardware:(.+?)(?:, \w+:|>|$)/;

type Origin = { device?: string; sourceName?: string };

/** Digests of sources, by what they are of. */
const known = new Map<string, Map<string, string>>();

/**
 * An export names its sources as their person does, `Ada's iPhone`, so that only a digest of the name goes on, which the service
 * replaces by a keyed one. Two watches of one name differ by their hardware (`Watch6,2`); a new version of software is no other source.
 */
export function sourceOf(resource: string, record: Origin): { source_type: SourceType; app_id: string | null } {
  const source_type = sourceTypeOf(record);
  const of = `${resource} ${source_type}`;
  const ofKind = known.get(of) ?? new Map<string, string>();
  known.set(of, ofKind);
  const text = `${record.sourceName ?? ''}\n${HARDWARE.exec(record.device ?? '')?.[1] ?? ''}`.slice(0, LONGEST);
  const before = ofKind.get(text);
  if (before !== undefined) return { source_type, app_id: before };
  if (ofKind.size >= MOST_SOURCES) return { source_type, app_id: null };
  const digest = createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
  ofKind.set(text, digest);
  return { source_type, app_id: digest };
}
