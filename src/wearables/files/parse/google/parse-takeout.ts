// Parses a Google Takeout archive with the data of Fitbit (folder "Fitbit" or "Google Health"). We read the CSV files
// in folders whose names end in `_GoogleData`. Their times are in UTC. The archive also has older JSON files with the
// same data in unknown time zones. We count these as skipped.
import { ownProperty } from '../../../../wire/own-property.ts';
import type { Archive } from '../open-archive.ts';
import { nameOfLeftOut } from '../archive-kind.ts';
import { ImportFailure } from '../../failures.ts';
import { eachRow, numberIn, offsetIn, utcIn, type Row } from '../csv.ts';
import { gatherNights } from '../gather-nights.ts';
import type { ParsedSample, Sink } from '../parsed-line.ts';
import type { SourceType } from '../../../source.ts';
import { sportOf } from '../sport.ts';
import { sourceTypeOf } from '../source-type.ts';
import { orNull } from '../or-null.ts';

type Table = { file: RegExp; column: string; series: string; unit: string; factor?: number; seconds?: number };

/**
 * The tables, by the beginning of their file names, with the column of the value. `seconds` is the interval that a
 * value covers: steps are sums of a minute.
 */
const TABLES: Table[] = [
  { file: /^steps_/, column: 'steps', series: 'steps', unit: 'count', seconds: 60 },
  { file: /^heart_rate_\d/, column: 'beats per minute', series: 'heartrate', unit: 'bpm' },
  { file: /^weight/, column: 'weight grams', series: 'body_weight', unit: 'kg', factor: 0.001 },
  { file: /^body_fat/, column: 'body fat percentage', series: 'body_fat', unit: '%' },
  { file: /^oxygen_saturation/, column: 'oxygen saturation percentage', series: 'blood_oxygen', unit: '%' },
  {
    file: /^heart_rate_variability/,
    column: 'root mean square of successive differences milliseconds',
    series: 'hrv',
    unit: 'rmssd',
  },
  { file: /^heart_rate_variability/, column: 'standard deviation milliseconds', series: 'hrv_sdnn', unit: 'ms' },
  { file: /^daily_respiratory_rate/, column: 'breaths per minute', series: 'respiratory_rate', unit: 'bpm' },
];
const STAGES: Record<string, number> = { AWAKE: 4, LIGHT: 2, DEEP: 1, REM: 3, ASLEEP: -1, RESTLESS: 4 };
const FOLDER = /(^|\/)(Fitbit|Google Health)\//;
/** The folders in which Google and not the person has chosen the names of the files. */
const OWN = /(_GoogleData|Global Export Data)\//;
const PROVIDER = 'fitbit';
const TRACKER = /charge|versa|sense|inspire|ionic|luxe|alta|blaze|surge|flex|air|pixel watch|tracker/;

export async function parseTakeout({ archive }: { archive: Archive | null }, sink: Sink): Promise<void> {
  if (!archive) throw new ImportFailure('file_broken');
  const nights = gatherNights(sink, 'UserSleeps');
  for (const [n, entry] of archive.entries.entries()) {
    const progress = n / archive.entries.length;
    const put = putterOf(entry.fileName, sink, nights);
    if (put === null) sink.skip(nameOfLeftOut(entry.fileName, { folder: FOLDER, own: OWN }), 'not_kept');
    else {
      const read = await orNull(async () => {
        await eachRow(await archive.open(entry), 1, async (row) => {
          put(row);
          await sink.flush(progress);
        });
        return true;
      });
      if (!read) sink.skip(nameOfLeftOut(entry.fileName, { folder: FOLDER, own: OWN }), 'unreadable');
    }
    await sink.flush(progress);
  }
  await nights.end();
}

/** Returns the function that passes the rows of a file to the sink; null if we do not read the file. */
function putterOf(fileName: string, sink: Sink, nights: ReturnType<typeof gatherNights>): ((row: Row) => void) | null {
  if (!/_GoogleData\/(?:[^/]+\/)?[^/]+\.csv$/.test(fileName) || !FOLDER.test(fileName)) return null;
  const name = fileName.split('/').at(-1) as string;
  if (name.startsWith('UserSleepStages')) return (row) => putStage(row, sink, nights);
  if (name.startsWith('UserSleeps')) return (row) => putNight(row, sink, nights);
  if (name.startsWith('UserExercises')) return (row) => putExercise(row, sink);
  const tables = TABLES.filter(({ file }) => file.test(name));
  return tables.length === 0 ? null : (row) => tables.forEach((table) => putSample(table, row, sink));
}

const sourceOf = (row: Row): { provider: typeof PROVIDER; source_type: SourceType } => {
  const device = (row('data source') || row('data_source')).toLowerCase();
  return { provider: PROVIDER, source_type: TRACKER.test(device) ? 'watch' : sourceTypeOf({ device }) };
};

function putSample({ column, series, unit, factor = 1, seconds }: Table, row: Row, sink: Sink): void {
  const [at, value] = [utcIn(row('timestamp')), numberIn(row(column))];
  if (at === null || value === undefined) return sink.skip(series, value === undefined ? 'empty' : 'unreadable');
  if (seconds !== undefined && value === 0) return undefined;
  const times = seconds === undefined ? { timestamp: iso(at) } : { start: iso(at), end: iso(at + seconds * 1_000) };
  const scaled = factor === 1 ? value : Number((value * factor).toPrecision(12));
  sink.sample({
    ...sourceOf(row),
    timezone_offset: null,
    ...times,
    resource: series,
    unit,
    value: scaled,
  } as ParsedSample);
  return undefined;
}

function putNight(row: Row, sink: Sink, nights: ReturnType<typeof gatherNights>): void {
  const [start, end] = [utcIn(row('sleep_start')), utcIn(row('sleep_end'))];
  if (start === null || end === null) return sink.skip('UserSleeps', 'unreadable');
  const minutes = (column: string): number | undefined => numberIn(row(column));
  const asleep = minutes('minutes_asleep');
  const said = asleep === undefined ? {} : { total: asleep * 60, awake: (minutes('minutes_awake') ?? 0) * 60 };
  const source = { ...sourceOf(row), timezone_offset: offsetIn(row('start_utc_offset')) };
  nights.addNight(row('sleep_id'), { source, start, end, said });
  return undefined;
}

function putStage(row: Row, sink: Sink, nights: ReturnType<typeof gatherNights>): void {
  const [start, end] = [utcIn(row('sleep_stage_start')), utcIn(row('sleep_stage_end'))];
  const stage = ownProperty(STAGES, row('sleep_stage_type'));
  if (start === null || end === null || stage === undefined) return sink.skip('UserSleepStages', 'unreadable');
  return nights.addStage(row('sleep_id'), start, end, stage);
}

function putExercise(row: Row, sink: Sink): void {
  const [start, end] = [utcIn(row('exercise_start')), utcIn(row('exercise_end'))];
  if (row('deletion_reason') !== '') return sink.skip('UserExercises', 'empty');
  if (start === null || end === null) return sink.skip('UserExercises', 'unreadable');
  const whole = (column: string): number | undefined => {
    const value = numberIn(row(column));
    return value ? Math.round(value) : undefined;
  };
  const metres = (column: string): number | undefined => {
    const value = numberIn(row(column));
    return value ? value / 1_000 : undefined;
  };
  sink.summary({
    resource: 'workouts',
    item: {
      ...sourceOf(row),
      provider_id: row('exercise_id') || undefined,
      timezone_offset: offsetIn(row('utc_offset')),
      sport: sportOf(row('activity_name')),
      time_start: iso(start),
      time_end: iso(end),
      calories: numberIn(row('tracker_total_calories')) ?? numberIn(row('manually_logged_total_calories')),
      steps: whole('tracker_total_steps') ?? whole('manually_logged_total_steps'),
      distance: metres('tracker_total_distance_mm') ?? metres('manually_logged_total_distance_mm'),
      total_elevation_gain: metres('tracker_total_altitude_mm'),
      average_hr: whole('tracker_avg_heart_rate'),
      max_hr: whole('tracker_peak_heart_rate'),
      average_speed: metres('tracker_avg_speed_mm_per_second'),
      max_speed: metres('tracker_peak_speed_mm_per_second'),
    },
  });
  return undefined;
}

const iso = (at: number): string => new Date(at).toISOString();
