// https://developer.withings.com/api-reference: every request is a POST, and an error is in the body of a response with
// status 200.
import { findPayloads } from '../../summaries/find-payloads.ts';
import { activity } from '../../summaries/resources/activity.ts';
import { body } from '../../summaries/resources/body.ts';
import { device } from '../../summaries/resources/device.ts';
import { sleep } from '../../summaries/resources/sleep.ts';
import { workout } from '../../summaries/resources/workout.ts';
import type { Importer, Pulled, ImportSource, TimeWindow } from '../importer.ts';

import { daysAround } from '../responses/days-around.ts';
import { devicesOf } from '../responses/devices.ts';
import { samplesOf, summariesOf, type Measured } from '../responses/fitting.ts';
import {
  nameIn,
  numberIn,
  numberOr,
  objectIn,
  objectOr,
  objectsOr,
  secondsOf,
  momentAt,
  type ProviderObject,
} from '../responses/read-response.ts';
import { waitsOfShares } from '../responses/shares.ts';
import { hasAnyOf, toBody, toBodySamples, toDevice, MEASURED } from './map-measures.ts';
import { toActivity, toSleep, toWorkout } from './map-summaries.ts';
import { ownProperty } from '../../../wire/own-property.ts';
import type { ProviderApi } from '../provider-api.ts';

const API = 'https://wbsapi.withings.net';
const DAY_MS = 86_400_000;
const MAX_PAGES = 200;
const WATCH = { provider: 'withings', source_type: 'watch' } as const;

/**
 * The HTTP status that each of Withings' codes stands for: 601 means too many requests, 5xx errors of Withings, and 100
 * to 102, 200 and 401 a refused token. All other codes mean that the request is wrong.
 */
const STATUS: Readonly<Record<number, number>> = {
  0: 200,
  100: 401,
  101: 401,
  102: 401,
  200: 401,
  401: 401,
  522: 503,
  524: 503,
  601: 429,
};
/**
 * The wait in seconds if Withings refuses a request because of a limit. Limits are for a minute. The response does not
 * say whether the application or the user has sent too many requests.
 */
const LIMIT_SECONDS = 60;

const api: ProviderApi = {
  slug: 'withings',
  statusOf: (status, response) => {
    const code = numberOr(objectOr(response)['status']);
    return status >= 300 || code === null ? status : (STATUS[code] ?? 400);
  },
  waitsOf: (status) => waitsOfShares(status, [], LIMIT_SECONDS),
};

const MAPPERS = {
  body: { resource: body, toItem: toBody },
  activity: { resource: activity, toItem: toActivity },
  sleep: { resource: sleep, toItem: toSleep },
  workouts: { resource: workout, toItem: toWorkout },
  device: { resource: device, toItem: toDevice },
} satisfies Importer['mappers'];

const measures = { windowDays: 90, with: 'body' };
/** Series with a value for each minute. A response has one day, so a window of 7 days needs 7 requests. */
const byTheMinute = { windowDays: 7, with: 'steps' };
/** The stages of each night need a request of their own. */
const nights = { windowDays: 30 };

export const importer: Importer = {
  resources: {
    body: { windowDays: 90 },
    ...Object.fromEntries(Object.keys(MEASURED).map((name) => [name, measures])),
    activity: { windowDays: 90 },
    sleep: nights,
    sleep_cycle: { ...nights, with: 'sleep' },
    workouts: { windowDays: 90 },
    steps: { windowDays: 7 },
    heartrate: byTheMinute,
    distance: byTheMinute,
    floors_climbed: byTheMinute,
    calories_active: byTheMinute,
  },
  pollDays: 2,
  // An application may send 120 requests a minute for all its users.
  pollEverySeconds: 3_600,
  mappers: MAPPERS,
  sampleSources: ['scale', 'cuff', 'watch', 'unknown', 'app'],
  pull: (source, resource, window) => {
    if (resource in INTRADAY) return intraday(source, window);
    return ownProperty(READERS, resource)?.(source, window) ?? measured(source, window);
  },
};

type Reader = (source: ImportSource, window: TimeWindow) => AsyncIterable<Pulled>;

async function ask(
  source: ImportSource,
  path: string,
  form: Record<string, string | number | null>,
): Promise<ProviderObject> {
  return objectIn(objectIn(await source.ask(api, { url: `${API}${path}`, form }))['body']);
}

/** Yields the lists of all pages, each with the time zone that its response states. */
async function* pages(
  source: ImportSource,
  { path, list, ...form }: { path: string; list: string; [field: string]: string | number },
): AsyncIterable<{ rows: ProviderObject[]; timezone: unknown }> {
  let offset: number | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const response: ProviderObject = await ask(source, path, { ...form, offset });
    yield { rows: objectsOr(response[list]), timezone: response['timezone'] };
    offset = numberOr(response['offset']);
    if (!response['more'] || offset === null) return;
  }
}

const daysOf = (window: TimeWindow) => {
  const { first, last } = daysAround(window);
  return { startdateymd: first, enddateymd: last };
};
const timesOf = ({ from, to }: TimeWindow) => ({ startdate: secondsOf(from), enddate: secondsOf(to) });

/** Requests measurements. Category 1 means measurements, in contrast to goals. */
const measurements = (source: ImportSource, window: TimeWindow, types: readonly number[]) =>
  pages(source, {
    path: '/measure',
    action: 'getmeas',
    list: 'measuregrps',
    meastypes: types.join(','),
    category: 1,
    ...timesOf(window),
  });

const BODY_TYPES = [1, 5, 6, 76, 77, 88];

const READERS: Readonly<Record<string, Reader>> = {
  activity: async function* (source, window) {
    const data_fields =
      'steps,distance,elevation,soft,moderate,intense,calories,totalcalories,hr_average,hr_min,hr_max';
    const call = { path: '/v2/measure', action: 'getactivity', list: 'activities', data_fields, ...daysOf(window) };
    for await (const { rows } of pages(source, call)) yield* summariesOf(source.ctx.log, MAPPERS.activity, rows);
  },
  sleep: asleep,
  sleep_cycle: asleep,
  workouts: async function* (source, window) {
    const data_fields = 'calories,steps,distance,elevation,hr_average,hr_max,pause_duration';
    const call = { path: '/v2/measure', action: 'getworkouts', list: 'series', data_fields, ...daysOf(window) };
    for await (const { rows } of pages(source, call)) yield* summariesOf(source.ctx.log, MAPPERS.workouts, rows);
  },
};

/** Yields the wanted values of scales, blood-pressure cuffs and thermometers, which Withings returns in one list. */
async function* measured(source: ImportSource, window: TimeWindow): AsyncIterable<Pulled> {
  const { wanted, ctx } = source;
  const series = Object.entries(MEASURED).filter(([resource]) => wanted.has(resource));
  const types = [...(wanted.has('body') ? BODY_TYPES : []), ...series.flatMap(([, { types: each }]) => each)];
  for await (const { rows, timezone } of measurements(source, window, [...new Set(types)])) {
    if (wanted.has('body')) {
      const ofScales = rows.filter((group) => hasAnyOf(group, BODY_TYPES));
      yield* devicesOf(
        ctx.log,
        MAPPERS.device,
        ofScales.map(({ attrib, deviceid, model }) => ({ attrib, deviceid, model })),
      );
      yield* summariesOf(
        ctx.log,
        MAPPERS.body,
        ofScales.map((group) => ({ ...group, body: { timezone: timezone ?? null } })),
      );
    }
    for (const [resource, { series: name, types: each }] of series) {
      const groups = rows.filter((group) => hasAnyOf(group, each));
      for (const { of, measured: values } of toBodySamples(resource, groups)) yield* samplesOf(name, of, values);
    }
  }
}

/** Yields nights, each with its stages. Requests no stages that are stored already, unless the night has changed. */
async function* asleep(source: ImportSource, window: TimeWindow): AsyncIterable<Pulled> {
  const data_fields =
    'deepsleepduration,lightsleepduration,remsleepduration,wakeupduration,total_sleep_time,total_timeinbed,' +
    'sleep_efficiency,sleep_latency,sleep_score,hr_average,hr_min,rr_average';
  const call = { path: '/v2/sleep', action: 'getsummary', list: 'series', data_fields, ...daysOf(window) };
  for await (const { rows } of pages(source, call)) {
    const payloads = await findPayloads(source.ctx, source.user, {
      resource: sleep.name,
      provider: 'withings',
      provider_ids: rows.map(({ id }) => nameIn(id)),
    });
    for (const night of rows) {
      const before = objectOr(payloads.get(nameIn(night['id'])));
      const isKnown = before['stages'] !== undefined && before['modified'] === night['modified'];
      const stages = isKnown ? before['stages'] : await stagesOf(source, night);
      yield* summariesOf(source.ctx.log, MAPPERS.sleep, [{ ...night, stages }]);
    }
  }
}

/** Returns the stages of a night. A response has one day at most. */
async function stagesOf(source: ImportSource, night: ProviderObject): Promise<unknown> {
  const [startdate, enddate] = [numberIn(night['startdate']), numberIn(night['enddate'])];
  if (enddate <= startdate) return [];
  const response = await ask(source, '/v2/sleep', {
    action: 'get',
    startdate,
    enddate: Math.min(enddate, startdate + DAY_MS / 1_000),
    data_fields: 'hr,rr',
  });
  return objectsOr(response['series']).map(({ startdate: from, enddate: to, state, hr, rr }) => ({
    startdate: from,
    enddate: to,
    state,
    ...(hr === undefined ? {} : { hr }),
    ...(rr === undefined ? {} : { rr }),
  }));
}

/** The series with values within the day, by their names in events, each with its field. */
const INTRADAY: Readonly<Record<string, string>> = {
  steps: 'steps',
  heartrate: 'heart_rate',
  distance: 'distance',
  floors_climbed: 'elevation',
  calories_active: 'calories',
};

/**
 * Yields all wanted series of a day, which one request brings. A response has at most one day. Its keys are seconds
 * since 1970 at which a value begins.
 */
async function* intraday(source: ImportSource, { from, to }: TimeWindow): AsyncIterable<Pulled> {
  const fields = Object.entries(INTRADAY).filter(([resource]) => source.wanted.has(resource));
  for (let at = Date.parse(from); at < Date.parse(to); at += DAY_MS) {
    const until = Math.min(at + DAY_MS, Date.parse(to));
    const response = await ask(source, '/v2/measure', {
      action: 'getintradayactivity',
      data_fields: fields.map(([, field]) => field).join(','),
      startdate: Math.floor(at / 1_000),
      enddate: Math.floor(until / 1_000),
    });
    // Without data, `series` is an empty list. Otherwise it is an object.
    const found = Object.entries(objectOr(response['series'])).flatMap(([second, value]) => {
      const began = numberOr(second);
      return began === null ? [] : [{ at: momentAt(began), value: objectOr(value) }];
    });
    for (const [resource, field] of fields) {
      const values = found.map(({ at: began, value }): Measured => {
        const duration_ms = (numberOr(value['duration']) ?? 0) * 1_000;
        return { at: began, value: numberOr(value[field]), duration_ms };
      });
      yield* samplesOf(resource, WATCH, values);
    }
  }
}
