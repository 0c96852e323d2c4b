// Parses the archive of Samsung Health ("Download personal data"), or one table of it: `com.samsung.….csv`. The first
// line of a table has its name, the second line the names of the columns. Times are in UTC, and a column of its own has
// the local offset.
import { ownProperty } from '../../../../wire/own-property.ts';
import { kindOfFile } from '../../file-kind.ts';
import type { Archive } from '../open-archive.ts';
import { UNNAMED } from '../archive-kind.ts';
import { openContent } from '../content.ts';
import { eachRow, numberIn, offsetIn, utcIn, type Row } from '../csv.ts';
import { gatherNights } from '../gather-nights.ts';
import type { ParsedSample, Sink } from '../parsed-line.ts';
import { orNull } from '../or-null.ts';
import { workoutOf } from './map-workout.ts';

type Moment = Pick<ParsedSample, 'provider' | 'source_type' | 'timezone_offset'> & { start: number; end: number };
type Series = { column: string; series: string; unit: string; interval?: true; scaled?: (value: number) => number };

const STAGES: Record<string, number> = { '40001': 4, '40002': 2, '40003': 1, '40004': 3 };

/** The tables whose rows are samples. A row may have several values, so several samples. */
const TABLES: Record<string, Series[]> = {
  'com.samsung.shealth.tracker.heart_rate': [{ column: 'heart_rate', series: 'heartrate', unit: 'bpm' }],
  'com.samsung.shealth.tracker.pedometer_step_count': [
    { column: 'count', series: 'steps', unit: 'count', interval: true },
    { column: 'distance', series: 'distance', unit: 'm', interval: true },
    { column: 'calorie', series: 'calories_active', unit: 'kcal', interval: true },
  ],
  'com.samsung.health.floors_climbed': [{ column: 'floor', series: 'floors_climbed', unit: 'count' }],
  'com.samsung.health.weight': [
    { column: 'weight', series: 'body_weight', unit: 'kg' },
    { column: 'body_fat', series: 'body_fat', unit: '%' },
  ],
  'com.samsung.shealth.tracker.oxygen_saturation': [{ column: 'spo2', series: 'blood_oxygen', unit: '%' }],
  'com.samsung.health.oxygen_saturation': [{ column: 'spo2', series: 'blood_oxygen', unit: '%' }],
  'com.samsung.shealth.stress': [{ column: 'score', series: 'stress_level', unit: '%' }],
  'com.samsung.health.blood_glucose': [{ column: 'glucose', series: 'glucose', unit: 'mmol/L' }],
  'com.samsung.health.water_intake': [{ column: 'amount', series: 'water', unit: 'ml' }],
  'com.samsung.health.respiratory_rate': [{ column: 'average', series: 'respiratory_rate', unit: 'bpm' }],
};
const PRESSURE = 'com.samsung.shealth.blood_pressure';
const SLEEP = 'com.samsung.shealth.sleep';
const SLEEP_STAGE = 'com.samsung.health.sleep_stage';
const EXERCISE = 'com.samsung.shealth.exercise';

export async function parseSamsungHealth(
  { path, archive }: { path: string; archive: Archive | null },
  sink: Sink,
): Promise<void> {
  const nights = gatherNights(sink, SLEEP);
  const readTable = async (chunks: AsyncIterable<Buffer>, type: string, progress: number): Promise<void> =>
    eachRow(chunks, 2, async (row) => {
      putRow(type, row, sink, nights);
      await sink.flush(progress);
    });
  if (!archive) {
    const [type, chunks] = await namedTable(path);
    await readTable(chunks, type, 0.5);
  } else {
    for (const [n, entry] of archive.entries.entries()) {
      const type = /(?:^|\/)(com\.samsung\.[\w.]+?)(?:\.\d+)?\.csv$/.exec(entry.fileName)?.[1] ?? '';
      if (!isRead(type)) sink.skip(type === '' ? UNNAMED : type, 'not_kept');
      else {
        const read = await orNull(async () => {
          await readTable(await archive.open(entry), type, n / archive.entries.length);
          return true;
        });
        if (!read) sink.skip(type, 'unreadable');
      }
      await sink.flush(n / archive.entries.length);
    }
  }
  await nights.end();
}

const isRead = (type: string): boolean =>
  ownProperty(TABLES, type) !== undefined || [PRESSURE, SLEEP, SLEEP_STAGE, EXERCISE].includes(type);

/** Returns the name of the table in a file, and the bytes of the file from the start. */
async function namedTable(path: string): Promise<[string, AsyncIterable<Buffer>]> {
  const head = await openContent(path);
  for await (const chunk of head.chunks) {
    const type = /^\uFEFF?(com\.samsung\.[\w.]+)/.exec(chunk.toString('utf8'))?.[1] ?? '';
    return [kindOfFile(chunk) === 'samsung_health' ? type : '', (await openContent(path)).chunks];
  }
  return ['', head.chunks];
}

function putRow(type: string, row: Row, sink: Sink, nights: ReturnType<typeof gatherNights>): void {
  const start = utcIn(row('start_time'));
  const end = utcIn(row('end_time')) ?? start;
  if (start === null || end === null) return sink.skip(type, isRead(type) ? 'unreadable' : 'not_kept');
  const timezone_offset = offsetIn(row('time_offset'));
  const moment = { provider: 'samsung_health', source_type: 'unknown', timezone_offset, start, end } as const;
  if (type === SLEEP) return putNight(row, moment, nights);
  if (type === SLEEP_STAGE) return putStage(row, moment, { sink, nights });
  if (type === EXERCISE) return sink.summary(workoutOf(row, moment));
  if (type === PRESSURE) return putPressure(row, moment, sink);
  return putSamples(type, row, moment, sink);
}

function putSamples(type: string, row: Row, { start, end, ...source }: Moment, sink: Sink): void {
  const measured = (ownProperty(TABLES, type) ?? []).flatMap(({ column, series, unit, interval }) => {
    const value = numberIn(row(column));
    return value === undefined || value === 0 ? [] : [{ series, unit, value, interval }];
  });
  if (measured.length === 0) return sink.skip(type, ownProperty(TABLES, type) ? 'empty' : 'not_kept');
  for (const { series, unit, value, interval } of measured) {
    const times = interval ? { start: iso(start), end: iso(end) } : { timestamp: iso(start) };
    sink.sample({ ...source, ...times, resource: series, unit, value });
  }
  return undefined;
}

function putPressure(row: Row, { start, end: _, ...source }: Moment, sink: Sink): void {
  const [systolic, diastolic] = [numberIn(row('systolic')), numberIn(row('diastolic'))];
  if (systolic === undefined || diastolic === undefined) return sink.skip(PRESSURE, 'unreadable');
  const timestamp = iso(start);
  sink.sample({
    ...source,
    source_type: 'cuff',
    resource: 'blood_pressure',
    timestamp,
    unit: 'mmHg',
    systolic,
    diastolic,
  });
  return undefined;
}

function putNight(row: Row, { start, end, ...source }: Moment, nights: ReturnType<typeof gatherNights>): void {
  const [score, efficiency] = [numberIn(row('sleep_score')), numberIn(row('efficiency'))];
  nights.addNight(row('datauuid'), {
    source,
    start,
    end,
    said: { score: score === undefined ? undefined : Math.round(score), efficiency },
  });
}

function putStage(
  row: Row,
  { start, end }: Moment,
  { sink, nights }: { sink: Sink; nights: ReturnType<typeof gatherNights> },
): void {
  const stage = ownProperty(STAGES, row('stage'));
  if (stage === undefined) return sink.skip(SLEEP_STAGE, 'unreadable');
  return nights.addStage(row('sleep_id'), start, end, stage);
}

const iso = (at: number): string => new Date(at).toISOString();
