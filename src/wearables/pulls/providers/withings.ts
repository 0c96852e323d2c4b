// https://developer.withings.com/api-reference: every call is a POST, and what is wrong with it stands in the body.
import { activity } from '../../summaries/resources/activity.ts';
import { body } from '../../summaries/resources/body.ts';
import { device } from '../../summaries/resources/device.ts';
import { sleep } from '../../summaries/resources/sleep.ts';
import { workout } from '../../summaries/resources/workout.ts';
import type { Puller, Pulled, PullSource, Window } from '../puller.ts';
import { askProvider, type ProviderApi } from './asking/ask-provider.ts';
import { daysAround } from './asking/days.ts';
import { devicesOf } from './asking/devices.ts';
import { samplesOf, summariesOf, type Measured } from './asking/fitting.ts';
import { numberOr, objectIn, objectOr, objectsOr, secondsOf, momentAt, type Found } from './asking/read-answer.ts';
import { holdOfShares } from './asking/shares.ts';
import { toBody, toBodySamples, toDevice, MEASURED } from './withings-measures.ts';
import { toActivity, toSleep, toWorkout } from './withings-summaries.ts';
import { ownOf } from '../../../wire/own.ts';

const API = 'https://wbsapi.withings.net';
const DAY_MS = 86_400_000;
const MOST_PAGES = 200;
const WATCH = { provider: 'withings', source_type: 'watch' } as const;

/** 601: too many requests. 5xx are its own troubles, 100 to 102, 200 and 401 refused tokens; the rest are refusals. */
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
/** What may be asked is counted by the minute; an answer does not show by whom too much of it was. */
const LIMIT_SECONDS = 60;

const api: ProviderApi = {
  slug: 'withings',
  statusOf: (status, answer) => {
    const told = numberOr(objectOr(answer)['status']);
    return status >= 300 || told === null ? status : (STATUS[told] ?? 400);
  },
  holdOf: (status) => holdOfShares(status, [], LIMIT_SECONDS),
};

const MAPPERS = {
  body: { resource: body, toItem: toBody },
  activity: { resource: activity, toItem: toActivity },
  sleep: { resource: sleep, toItem: toSleep },
  workouts: { resource: workout, toItem: toWorkout },
  device: { resource: device, toItem: toDevice },
} satisfies Puller['mappers'];

const measures = { windowDays: 90 };
/** By the minute, a day an answer. */
const byTheMinute = { windowDays: 7 };

export const withings: Puller = {
  resources: {
    body: measures,
    ...Object.fromEntries(Object.keys(MEASURED).map((name) => [name, measures])),
    activity: { windowDays: 90 },
    sleep: { windowDays: 90 },
    workouts: { windowDays: 90 },
    heartrate: byTheMinute,
    steps: byTheMinute,
    distance: byTheMinute,
    floors_climbed: byTheMinute,
    calories_active: byTheMinute,
  },
  pollDays: 2,
  // 120 questions a minute are all that an application may ask for everybody.
  pollEverySeconds: 3_600,
  mappers: MAPPERS,
  pull: (source, resource, window) => {
    const reader = ownOf(READERS, resource);
    if (reader) return reader(source, window);
    return resource in INTRADAY ? intraday(source, resource, window) : bodySamples(source, resource, window);
  },
};

type Reader = (source: PullSource, window: Window) => AsyncIterable<Pulled>;

async function ask(source: PullSource, path: string, form: Record<string, string | number | null>): Promise<Found> {
  return objectIn(objectIn(await askProvider(source, api, { url: `${API}${path}`, form }))['body']);
}

/** The lists of all pages, each with what stands beside it. */
async function* pages(
  source: PullSource,
  { path, list, ...form }: { path: string; list: string; [field: string]: string | number },
): AsyncIterable<{ rows: Found[]; timezone: unknown }> {
  let offset: number | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer: Found = await ask(source, path, { ...form, offset });
    yield { rows: objectsOr(answer[list]), timezone: answer['timezone'] };
    offset = numberOr(answer['offset']);
    if (!answer['more'] || offset === null) return;
  }
}

const daysOf = (window: Window) => {
  const { first, last } = daysAround(window);
  return { startdateymd: first, enddateymd: last };
};
const timesOf = ({ from, to }: Window) => ({ startdate: secondsOf(from), enddate: secondsOf(to) });

/** Category 1 are measurements, 2 would be goals. */
const measurements = (source: PullSource, window: Window, types: readonly number[]) =>
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
  body: async function* (source, window) {
    const { log } = source.ctx;
    for await (const { rows, timezone } of measurements(source, window, BODY_TYPES)) {
      yield* devicesOf(
        log,
        MAPPERS.device,
        rows.map(({ attrib, deviceid, model }) => ({ attrib, deviceid, model })),
      );
      yield* summariesOf(
        log,
        MAPPERS.body,
        rows.map((group) => ({ ...group, body: { timezone: timezone ?? null } })),
      );
    }
  },
  activity: async function* (source, window) {
    const data_fields =
      'steps,distance,elevation,soft,moderate,intense,calories,totalcalories,hr_average,hr_min,hr_max';
    const call = { path: '/v2/measure', action: 'getactivity', list: 'activities', data_fields, ...daysOf(window) };
    for await (const { rows } of pages(source, call)) yield* summariesOf(source.ctx.log, MAPPERS.activity, rows);
  },
  sleep: async function* (source, window) {
    const data_fields =
      'deepsleepduration,lightsleepduration,remsleepduration,wakeupduration,total_sleep_time,total_timeinbed,' +
      'sleep_efficiency,sleep_latency,sleep_score,hr_average,hr_min,rr_average';
    const call = { path: '/v2/sleep', action: 'getsummary', list: 'series', data_fields, ...daysOf(window) };
    for await (const { rows } of pages(source, call)) yield* summariesOf(source.ctx.log, MAPPERS.sleep, rows);
  },
  workouts: async function* (source, window) {
    const data_fields = 'calories,steps,distance,elevation,hr_average,hr_max,pause_duration';
    const call = { path: '/v2/measure', action: 'getworkouts', list: 'series', data_fields, ...daysOf(window) };
    for await (const { rows } of pages(source, call)) yield* summariesOf(source.ctx.log, MAPPERS.workouts, rows);
  },
};

async function* bodySamples(source: PullSource, resource: string, window: Window): AsyncIterable<Pulled> {
  const { series, types } = MEASURED[resource] as (typeof MEASURED)[string];
  for await (const { rows } of measurements(source, window, types))
    for (const { of, measured } of toBodySamples(resource, rows)) yield* samplesOf(series, of, measured);
}

/** Fields of what is measured within the day, by the names of events. */
const INTRADAY: Readonly<Record<string, string>> = {
  heartrate: 'heart_rate',
  steps: 'steps',
  distance: 'distance',
  floors_climbed: 'elevation',
  calories_active: 'calories',
};

/** It answers a day at most, keyed by the second at which each begins. */
async function* intraday(source: PullSource, resource: string, { from, to }: Window): AsyncIterable<Pulled> {
  const field = ownOf(INTRADAY, resource) as string;
  for (let at = Date.parse(from); at < Date.parse(to); at += DAY_MS) {
    const until = Math.min(at + DAY_MS, Date.parse(to));
    const answer = await ask(source, '/v2/measure', {
      action: 'getintradayactivity',
      data_fields: field,
      startdate: Math.floor(at / 1_000),
      enddate: Math.floor(until / 1_000),
    });
    // Nothing is an empty list there, and something a map.
    const measured = Object.entries(objectOr(answer['series'])).flatMap(([second, value]): Measured[] => {
      const found = objectOr(value);
      const began = numberOr(second);
      if (began === null) return [];
      const duration_ms = (numberOr(found['duration']) ?? 0) * 1_000;
      return [{ at: momentAt(began), value: numberOr(found[field]), duration_ms }];
    });
    yield* samplesOf(resource, WATCH, measured);
  }
}
