// https://developers.google.com/health/reference/rest/v4/users.dataTypes.dataPoints and its methods
import { dayEdges } from '../../calendar-date.ts';
import { activity } from '../../summaries/resources/activity.ts';
import { body } from '../../summaries/resources/body.ts';
import { device } from '../../summaries/resources/device.ts';
import { sleep } from '../../summaries/resources/sleep.ts';
import { workout } from '../../summaries/resources/workout.ts';
import type { Mapper, Importer, Pulled, ImportSource, TimeWindow } from '../importer.ts';

import { daysAround } from '../responses/days-around.ts';
import { devicesOf } from '../responses/devices.ts';
import { samplesOf, summariesOf, type Measured } from '../responses/fitting.ts';
import { pagesByToken } from '../responses/pages.ts';
import { momentIn, numberOr, objectIn, objectOr, objectsOr, type ProviderObject } from '../responses/read-response.ts';
import { dateOf, dayOf, keyOf, offsetOf, toActivity, toBody, toDevice, toSleep, toWorkout, TOTALS } from './map.ts';
import { ownProperty } from '../../../wire/own-property.ts';
import type { ProviderApi } from '../provider-api.ts';

const API = 'https://health.googleapis.com/v4/users/me/dataTypes';
const PAGE = 2_000;
/** The most sleeps and exercises that Google returns on a page. */
const SESSIONS_A_PAGE = 25;
/** The source of values that Google merges from all sources that measured at a moment. */
const MERGED = { provider: 'google_health', source_type: 'multiple_sources' } as const;

const api: ProviderApi = { slug: 'google_health' };

const MAPPERS = {
  activity: { resource: activity, toItem: toActivity },
  sleep: { resource: sleep, toItem: toSleep },
  workouts: { resource: workout, toItem: toWorkout },
  body: { resource: body, toItem: toBody },
  device: { resource: device, toItem: toDevice },
} satisfies Importer['mappers'];

const month = { windowDays: 30 };
const ofScales = { ...month, with: 'body' };
const week = { windowDays: 7 };

export const importer: Importer = {
  resources: {
    // Google sums up days ("rollup"), at most 14 of them in one request. The window has 10 days, and further days
    // before and after it are in the same request.
    activity: { windowDays: 10 },
    sleep: month,
    sleep_cycle: { ...month, with: 'sleep' },
    workouts: month,
    body: month,
    weight: ofScales,
    fat: ofScales,
    steps: week,
    distance: week,
    calories_active: week,
    heartrate: { windowDays: 2 },
    hrv: week,
    respiratory_rate: month,
    glucose: week,
    blood_oxygen: week,
    body_temperature: month,
    vo2_max: month,
  },
  pollDays: 3,
  pollEverySeconds: 1_800,
  sampleSources: [MERGED.source_type],
  mappers: MAPPERS,
  pull: (source, resource, window) =>
    ownProperty(READERS, resource)?.(source, window) ?? samples(source, resource, window),
};

type Time = 'sample' | 'interval' | 'date';
type DataType = { type: string; field: string; time: Time; series?: string; unit?: string; parts?: number };

/**
 * The time series, by their names in events. Each has Google's data type, the field of the value, and the form of a
 * point's time. `parts` is how many of Google's units make one of ours, for example 1,000 millimetres for a metre.
 */
const SAMPLES: Readonly<Record<string, DataType>> = {
  steps: { type: 'steps', field: 'count', time: 'interval' },
  distance: { type: 'distance', field: 'millimeters', time: 'interval', parts: 1_000 },
  calories_active: { type: 'active-energy-burned', field: 'kcal', time: 'interval' },
  heartrate: { type: 'heart-rate', field: 'beatsPerMinute', time: 'sample' },
  hrv: {
    type: 'heart-rate-variability',
    field: 'rootMeanSquareOfSuccessiveDifferencesMilliseconds',
    time: 'sample',
  },
  respiratory_rate: { type: 'daily-respiratory-rate', field: 'breathsPerMinute', time: 'date' },
  weight: { type: 'weight', field: 'weightGrams', time: 'sample', series: 'body_weight', parts: 1_000 },
  fat: { type: 'body-fat', field: 'percentage', time: 'sample', series: 'body_fat' },
  glucose: { type: 'blood-glucose', field: 'bloodGlucoseMilligramsPerDeciliter', time: 'sample', unit: 'mg/dL' },
  blood_oxygen: { type: 'oxygen-saturation', field: 'percentage', time: 'sample' },
  body_temperature: { type: 'core-body-temperature', field: 'celsius', time: 'sample' },
  vo2_max: { type: 'run-vo2-max', field: 'runVo2Max', time: 'sample' },
};

const snakeOf = (type: string): string => type.replaceAll('-', '_');

/** Yields the points of a data type, page by page. */
async function* points(
  source: ImportSource,
  { type, method = '', filter, pageSize = PAGE }: { type: string; method?: string; filter: string; pageSize?: number },
): AsyncIterable<ProviderObject[]> {
  const url = `${API}/${type}/dataPoints${method}`;
  const next = { inResponse: 'nextPageToken', inRequest: 'pageToken' };
  for await (const response of pagesByToken(source, api, { url, query: { filter, pageSize }, ...next }))
    yield objectsOr(response['dataPoints']);
}

const between = (field: string, from: string, to: string): string => `${field} >= "${from}" AND ${field} < "${to}"`;
const daysOf = (window: TimeWindow): [string, string] => {
  const { first, last } = daysAround(window);
  return [first, last];
};

function filterOf({ type, time }: DataType, window: TimeWindow): string {
  const { from, to } = window;
  if (time === 'date') return between(`${snakeOf(type)}.date`, ...daysOf(window));
  const field = time === 'sample' ? 'sample_time.physical_time' : 'interval.start_time';
  return between(`${snakeOf(type)}.${field}`, from, to);
}

/**
 * Yields the samples of a resource. Google merges the samples of all sources into one list, as its own app shows them.
 * A value of 0 means that no source measured, so it is left out.
 */
async function* samples(source: ImportSource, resource: string, window: TimeWindow): AsyncIterable<Pulled> {
  for await (const page of merged(source, resource, window)) yield* samplesIn(source, resource, page);
}

function merged(source: ImportSource, resource: string, window: TimeWindow): AsyncIterable<ProviderObject[]> {
  const dataType = ownProperty(SAMPLES, resource) as DataType;
  return points(source, { type: dataType.type, method: ':reconcile', filter: filterOf(dataType, window) });
}

function* samplesIn(source: ImportSource, resource: string, page: readonly ProviderObject[]): Iterable<Pulled> {
  const dataType = ownProperty(SAMPLES, resource) as DataType;
  const { type, field, series = resource, unit, parts = 1 } = dataType;
  const measured = page.flatMap((point): Measured[] => {
    const found = objectOr(point[keyOf(type)]);
    const value = numberOr(found[field]);
    const time = timeOf(source, found, dataType);
    return value === null || value === 0 || time === null ? [] : [{ ...time, value: value / parts }];
  });
  yield* samplesOf(series, MERGED, measured, unit);
}

/** Returns the time of a point. If a point has only a day, its time is the beginning of this day at the user. */
function timeOf({ user }: ImportSource, found: ProviderObject, { time }: DataType): Omit<Measured, 'value'> | null {
  if (time === 'date') {
    const date = dateOf(found['date']);
    return date === null
      ? null
      : { at: dayEdges(date, { timezone_offset: null, time_zone: user.fallback_time_zone }).start };
  }
  if (time === 'sample') {
    const { physicalTime, utcOffset } = objectOr(found['sampleTime']);
    const at = momentIn(physicalTime);
    return at === null ? null : { at, timezone_offset: offsetOf(utcOffset) };
  }
  const { startTime, endTime, startUtcOffset } = objectOr(found['interval']);
  const [at, end] = [momentIn(startTime), momentIn(endTime)];
  if (at === null || end === null || end < at) return null;
  return { at, duration_ms: Date.parse(end) - Date.parse(at), timezone_offset: offsetOf(startUtcOffset) };
}

async function* days(source: ImportSource, window: TimeWindow): AsyncIterable<Pulled> {
  const [start, end] = daysOf(window).map((day) => {
    const [year, month_, day_] = day.split('-').map(Number);
    return { date: { year, month: month_, day: day_ } };
  });
  const byDay = new Map<string, ProviderObject>();
  for (const type of Object.keys(TOTALS)) {
    const url = `${API}/${type}/dataPoints:dailyRollUp`;
    const json = { range: { start, end }, windowSizeDays: 1 };
    const response = objectIn(await source.ask(api, { url, json }));
    for (const point of objectsOr(response['rollupDataPoints'])) {
      const date = dayOf(point);
      if (date !== null) byDay.set(date, { ...byDay.get(date), ...point });
    }
  }
  yield* summariesOf(source.ctx.log, MAPPERS.activity, [...byDay.values()]);
}

/**
 * Yields sessions, and the devices that recorded them. Only sessions name a device; merged points and rollups do not.
 */
function* sessionsOf({ ctx: { log } }: ImportSource, mapper: Mapper, page: ProviderObject[]): Iterable<Pulled> {
  yield* devicesOf(
    log,
    MAPPERS.device,
    page.map(({ dataSource }) => ({ dataSource: { device: objectOr(dataSource)['device'] ?? null } })),
  );
  yield* summariesOf(log, mapper, page);
}

const nights: Reader = async function* (source, { from, to }) {
  const asked = { type: 'sleep', filter: between('sleep.interval.end_time', from, to), pageSize: SESSIONS_A_PAGE };
  for await (const page of points(source, asked)) yield* sessionsOf(source, MAPPERS.sleep, page);
};

type Reader = (source: ImportSource, window: TimeWindow) => AsyncIterable<Pulled>;

const READERS: Readonly<Record<string, Reader>> = {
  activity: days,
  sleep: nights,
  sleep_cycle: nights,
  workouts: async function* (source, window) {
    const filter = between('exercise.interval.civil_start_time', ...daysOf(window));
    const asked = { type: 'exercise', filter, pageSize: SESSIONS_A_PAGE };
    for await (const page of points(source, asked)) yield* sessionsOf(source, MAPPERS.workouts, page);
  },
  // A scale measures weight and fat at the same moment, but Google has a data type for each. This joins both to one
  // summary.
  body: async function* (source, window) {
    const byTime = new Map<string, ProviderObject>();
    for (const resource of ['weight', 'fat']) {
      const key = keyOf((ownProperty(SAMPLES, resource) as DataType).type);
      for await (const page of merged(source, resource, window)) {
        if (source.wanted.has(resource)) yield* samplesIn(source, resource, page);
        for (const point of page) {
          const found = objectOr(point[key]);
          const at = momentIn(objectOr(found['sampleTime'])['physicalTime']);
          if (at !== null) byTime.set(at, { ...byTime.get(at), [key]: found });
        }
      }
    }
    yield* summariesOf(source.ctx.log, MAPPERS.body, [...byTime.values()]);
  },
};
