// Parses export.xml of Apple's Health app, a list of records that are grouped by type. Each record has its device,
// times and metadata. The archive also contains electrocardiograms and the routes of workouts.
import { ImportFailure } from '../../failures.ts';
import type { Archive } from '../open-archive.ts';
import { openContent } from '../content.ts';
import type { Sink } from '../parsed-line.ts';
import { sourceTypeOf } from '../source-type.ts';
import { readXml, type Element } from '../xml.ts';
import { putElectrocardiograms } from './archive-members.ts';
import { gatherDays } from './gather-days.ts';
import { findExport } from './find-export.ts';
import { gatherHeartRates } from './heart-rates.ts';
import { bloodPressureOf, BLOOD_PRESSURE, isHalfOfPressure, sampleOf } from './map-records.ts';
import { gatherSleeps, SLEEP_TYPE } from './gather-sleeps.ts';
import { isStateOfMind, stateOfMindOf } from './state-of-mind.ts';
import { momentOf } from './time.ts';
import { gatherWorkouts, type AppleWorkout } from './gather-workouts.ts';
import type { ParsedSample } from '../parsed-line.ts';

type Attributes = Element['attributes'];

const HEART_RATE = 'HKQuantityTypeIdentifierHeartRate';
/** The elements below the root that we read. All others count as skipped. */
const ELEMENTS = new Set(['ExportDate', 'Me', 'Record', 'Correlation', 'Workout', 'ActivitySummary']);
/** How much of the progress the XML file accounts for. The other files of the archive take little time. */
const PART_OF_XML = 0.95;

type Source = { path: string; archive: Archive | null };

/** Reads all records that Phial can store. Throws file_broken if the file is no export of Apple's Health app. */
export async function parseAppleExport({ path, archive }: Source, sink: Sink): Promise<void> {
  const content = archive ? await findExport(archive) : await openContent(path);
  let depth = 0;
  let record: Attributes | null = null;
  let metadata = new Map<string, string>();
  /**
   * A correlation groups records, for example the two values of a blood pressure. The export lists the same records
   * outside of the correlation too.
   */
  let correlation: { attributes: Attributes; parts: Map<string, Attributes> } | null = null;
  let workout: AppleWorkout | null = null;
  const heartRates = gatherHeartRates();
  const sleeps = gatherSleeps(sink);
  const workouts = gatherWorkouts(sink);
  const days = gatherDays(sink);

  const put = (type: string, sample: ParsedSample | Parameters<Sink['skip']>[1]): void => {
    if (typeof sample === 'string') sink.skip(type, sample);
    else sink.sample(isTypedIn(metadata) ? marked(sample) : sample);
  };
  const putRecord = (record: Attributes): void => {
    const { type = '' } = record;
    if (type === SLEEP_TYPE) sleeps.add(record);
    else if (isStateOfMind(type)) put(type, stateOfMindOf(record, metadata) ?? 'unreadable');
    else if (!isHalfOfPressure(type) && !days.take(type, record)) put(type, sampleOf(record, metadata));
    if (type === HEART_RATE && sourceTypeOf(record) === 'watch')
      heartRates.add(momentOf(record['startDate'])?.at ?? NaN, Number(record['value']));
  };

  const open = ({ name, attributes }: Element): void => {
    if (depth === 0 && name !== 'HealthData') throw new ImportFailure('file_broken');
    if (depth === 1 && !ELEMENTS.has(name) && !isStateOfMind(name))
      sink.skip([name, attributes['type']].filter(Boolean).join(' '), 'not_kept');
    depth += 1;
    if (name === 'Record') {
      if (correlation) correlation.parts.set(attributes['type'] ?? '', attributes);
      else [record, metadata] = [attributes, new Map()];
    } else if (isStateOfMind(name)) [record, metadata] = [{ ...attributes, type: name }, new Map()];
    else if (name === 'Correlation') [correlation, metadata] = [{ attributes, parts: new Map() }, new Map()];
    else if (name === 'Me') days.me(attributes);
    else if (name === 'ActivitySummary') days.addRings(attributes);
    else if (name === 'Workout') workout = { attributes, statistics: [], metadata: new Map(), routes: [] };
    else if (name === 'WorkoutStatistics') workout?.statistics.push(attributes);
    else if (name === 'FileReference') workout?.routes.push(attributes['path'] ?? '');
    else if (name === 'MetadataEntry')
      (workout?.metadata ?? metadata).set(attributes['key'] ?? '', attributes['value'] ?? '');
  };
  const close = (name: string): void => {
    depth -= 1;
    if (record && (name === 'Record' || isStateOfMind(name))) {
      putRecord(record);
      record = null;
    } else if (name === 'Correlation' && correlation) {
      const { attributes, parts } = correlation;
      // We read only correlations of blood pressures. The records of other correlations also stand outside of them, and
      // are read or counted there.
      if (attributes['type'] === BLOOD_PRESSURE)
        put(BLOOD_PRESSURE, bloodPressureOf(attributes, parts) ?? 'unreadable');
      correlation = null;
    } else if (name === 'Workout' && workout) {
      workouts.add(workout);
      workout = null;
    }
  };
  try {
    await readXml(content, { open, close, read: (progress) => sink.flush(progress * PART_OF_XML) });
  } catch (error) {
    // The file is broken from here on. The last night or day may be incomplete, so we do not store nights and days. A
    // workout whose element has ended is complete, so we store the workouts.
    await workouts.end({ archive: null, heartRates });
    throw error;
  }
  days.end();
  await sleeps.end(heartRates);
  await workouts.end({ archive, heartRates });
  if (archive) await putElectrocardiograms(archive, sink);
}

const isTypedIn = (metadata: Map<string, string>): boolean => (metadata.get('HKWasUserEntered') ?? '0') !== '0';

/**
 * Marks data that a person typed in, by the type of the sample. The type is no part of a sample's identity, so the mark
 * makes no second sample if the same value arrives without it.
 */
const marked = (sample: ParsedSample): ParsedSample => (sample.type ? sample : { ...sample, type: 'manual' });
