// https://developers.strava.com/docs/reference/, https://developers.strava.com/docs/rate-limits/
import { isDeepStrictEqual } from 'node:util';
import { BY_HAND } from '../../by-hand.ts';
import { findPayloads } from '../../summaries/find-payloads.ts';
import { findStreamed } from '../../summaries/summary-streams/find-streamed.ts';
import { device } from '../../summaries/resources/device.ts';
import { profile } from '../../summaries/resources/profile.ts';
import { workout } from '../../summaries/resources/workout.ts';
import type { Importer, Pulled, ImportSource, TimeWindow } from '../importer.ts';

import { devicesOf } from '../responses/devices.ts';
import { summariesOf, type Item } from '../responses/fitting.ts';
import type { Headers, ProviderApi, ProviderWaits } from '../provider-api.ts';
import {
  momentAt,
  momentIn,
  nameIn,
  numberIn,
  numberOr,
  numbersOr,
  objectIn,
  objectOr,
  objectsIn,
  secondsOf,
  textOr,
  wholeOr,
  wordOf,
  type ProviderObject,
} from '../responses/read-response.ts';
import { waitsOfShares, numbersOf } from '../responses/shares.ts';

const API = 'https://www.strava.com/api/v3';
const STREAMS = 'time,distance,latlng,altitude,velocity_smooth,heartrate,cadence,watts,temp';
const PER_PAGE = 200;
/** The most pages of one window. They have 20,000 activities. With more, Strava probably repeats pages without end. */
const MAX_PAGES = 100;

const api: ProviderApi = { slug: 'strava', waitsOf };

const MAPPERS = {
  profile: { resource: profile, toItem: toProfile },
  workouts: { resource: workout, toItem: toWorkout, withoutPoints: true },
  device: { resource: device, toItem: toDevice },
} satisfies Importer['mappers'];

export const importer: Importer = {
  resources: {
    profile: { windowDays: 366, polled: false },
    // Each activity needs a request for its details and another for its points, and the application has few requests.
    workouts: { windowDays: 30 },
    workout_stream: { windowDays: 30, with: 'workouts' },
  },
  pollDays: 3,
  // An application may send 1,000 requests a day for all its users.
  pollEverySeconds: 3_600,
  mappers: MAPPERS,
  findOne: async (source, resource, id) => {
    if (resource !== 'workouts') return null;
    const url = `${API}/activities/${encodeURIComponent(id)}`;
    const activity = await source.ask(api, { url, mayBeMissing: true });
    return activity === null ? 'gone' : [...recorded(source, [objectIn(activity)])];
  },
  pull: async function* (source, resource, window) {
    if (resource === 'profile') {
      const athlete = objectIn(await source.ask(api, { url: `${API}/athlete` }));
      yield* summariesOf(source.ctx.log, MAPPERS.profile, [athlete]);
      return;
    }
    for await (const page of activities(source, window)) {
      const streamed = await findStreamed(source.ctx, source.user, ofStrava(page));
      for await (const whole of inFull(source, page)) {
        yield* recorded(source, [whole]);
        if (source.wanted.has('workout_stream') && !streamed.has(nameIn(whole['id']))) yield* withStream(source, whole);
      }
    }
  },
};

/**
 * Yields the pages of activities, until a page is empty. A page with fewer activities than requested need not be the
 * last one.
 */
async function* activities(source: ImportSource, { from, to }: TimeWindow): AsyncIterable<ProviderObject[]> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { after: secondsOf(from) - 1, before: Math.ceil(Date.parse(to) / 1_000), page, per_page: PER_PAGE };
    const found = objectsIn(await source.ask(api, { url: `${API}/athlete/activities`, query }));
    if (found.length === 0) return;
    yield found;
  }
}

/** Yields activities, and the devices that recorded them. Some activities name no device. */
function* recorded({ ctx: { log } }: ImportSource, activities: ProviderObject[]): Iterable<Pulled> {
  yield* devicesOf(
    log,
    MAPPERS.device,
    activities.map(({ device_name }) => ({ device_name })),
  );
  yield* summariesOf(log, MAPPERS.workouts, activities);
}

const ofStrava = (page: ProviderObject[]) => ({ provider: 'strava', provider_ids: page.map(({ id }) => nameIn(id)) });

/**
 * Yields the details of activities, because the list lacks calories. Requests no details that are stored already,
 * unless the activity has changed in the list.
 */
async function* inFull(source: ImportSource, page: ProviderObject[]): AsyncIterable<ProviderObject> {
  const payloads = await findPayloads(source.ctx, source.user, { resource: workout.name, ...ofStrava(page) });
  for (const activity of page) {
    const id = nameIn(activity['id']);
    const before = objectOr(payloads.get(id));
    if (isStill(before, activity)) {
      yield before;
      continue;
    }
    const url = `${API}/activities/${encodeURIComponent(id)}`;
    const whole = await source.ask(api, { url, mayBeMissing: true });
    if (whole !== null) yield objectIn(whole);
  }
}

/** Strava's `resource_state` of an activity with all details. */
const IN_FULL = 3;

/**
 * Whether the stored details agree with the list in all fields that we read. Calories and the exact route are not in
 * the list, so they cannot be compared.
 */
function isStill(whole: ProviderObject, listed: ProviderObject): boolean {
  if (whole['resource_state'] !== IN_FULL && !('calories' in whole)) return false;
  const merged = { ...listed, calories: whole['calories'], map: whole['map'] };
  return isDeepStrictEqual(toWorkout(merged), toWorkout(whole));
}

/** Yields the points of an activity, unless they are stored already. The points of an activity do not change. */
async function* withStream(source: ImportSource, activity: ProviderObject): AsyncIterable<Pulled> {
  const item = activity['manual'] === true ? null : toWorkout(activity);
  if (item === null) return;
  const url = `${API}/activities/${encodeURIComponent(nameIn(activity['id']))}/streams`;
  const query = { keys: STREAMS, key_by_type: 'true' };
  const streams = await source.ask(api, { url, query, mayBeMissing: true });
  const stream = streams === null ? null : toStream(item['time_start'] as string, objectIn(streams));
  if (stream) yield* summariesOf(source.ctx.log, MAPPERS.workouts, [activity], { stream });
}

function toWorkout(activity: ProviderObject): Item {
  const time_start = momentIn(activity['start_date']);
  if (time_start === null) return null;
  const map = objectOr(activity['map']);
  const [polyline, summary_polyline] = [textOr(map['polyline']), textOr(map['summary_polyline'])];
  const average_watts = numberOr(activity['average_watts']);
  return {
    provider: 'strava',
    source_type: 'app',
    ...(activity['manual'] === true ? BY_HAND : {}),
    provider_id: nameIn(activity['id']),
    title: textOr(activity['name']),
    sport: wordOf(activity['sport_type'] ?? activity['type']) ?? 'other',
    time_start,
    time_end: momentAt(secondsOf(time_start) + numberIn(activity['elapsed_time'])),
    calendar_date: textOr(activity['start_date_local'])?.slice(0, 10),
    timezone_offset: wholeOr(activity['utc_offset']),
    average_hr: wholeOr(activity['average_heartrate']),
    max_hr: wholeOr(activity['max_heartrate']),
    calories: numberOr(activity['calories']),
    distance: numberOr(activity['distance']),
    moving_time: wholeOr(activity['moving_time']),
    total_elevation_gain: numberOr(activity['total_elevation_gain']),
    elev_high: numberOr(activity['elev_high']),
    elev_low: numberOr(activity['elev_low']),
    average_speed: numberOr(activity['average_speed']),
    max_speed: numberOr(activity['max_speed']),
    average_watts,
    // Strava's `device_watts` is true if a device measured the power. Ours is the mean of that power, or null.
    // `average_watts` may be an estimate of Strava.
    device_watts: activity['device_watts'] === true ? average_watts : null,
    max_watts: numberOr(activity['max_watts']),
    weighted_average_watts: numberOr(activity['weighted_average_watts']),
    map: polyline === null && summary_polyline === null ? null : { polyline, summary_polyline },
  };
}

/**
 * Returns the device. The name does not say whether it is a watch, a phone with an app or something else, so the kind
 * is unknown.
 */
function toDevice({ device_name }: ProviderObject): Item {
  const device_model = textOr(device_name);
  return device_model === null ? null : { provider: 'strava', source_type: 'unknown', device_model };
}

/** Returns the points of an activity as columns, in seconds from its start; null if the streams have no times. */
function toStream(time_start: string, streams: ProviderObject): Record<string, unknown> | null {
  const dataOf = (name: string): unknown => objectOr(streams[name])['data'];
  const seconds = numbersOr(dataOf('time'));
  if (seconds === null || seconds.length === 0 || seconds.includes(null)) return null;
  const start = secondsOf(time_start);
  const points = Array.isArray(dataOf('latlng')) ? (dataOf('latlng') as unknown[]).map(numbersOr) : null;
  const columns = {
    distance: numbersOr(dataOf('distance')),
    altitude: numbersOr(dataOf('altitude')),
    velocity_smooth: numbersOr(dataOf('velocity_smooth')),
    heartrate: numbersOr(dataOf('heartrate'))?.map(wholeOr),
    cadence: numbersOr(dataOf('cadence')),
    power: numbersOr(dataOf('watts')),
    temperature: numbersOr(dataOf('temp')),
    lat: points?.map((point) => point?.[0] ?? null),
    lng: points?.map((point) => point?.[1] ?? null),
  };
  const measured = Object.entries(columns).filter(([, column]) => column?.length === seconds.length);
  return { time: seconds.map((second) => start + Math.round(second as number)), ...Object.fromEntries(measured) };
}

function toProfile(athlete: ProviderObject): Item {
  return {
    provider: 'strava',
    source_type: 'app',
    provider_id: nameIn(athlete['id']),
    sex: athlete['sex'] === 'M' ? 'male' : athlete['sex'] === 'F' ? 'female' : null,
  };
}

const QUARTER_SECONDS = 900;
const DAY_SECONDS = 86_400;
/**
 * Reads `X-RateLimit-Limit: 200,2000` and `-Usage`. The first number is for a quarter of an hour, the second for a day
 * in UTC. `X-ReadRateLimit-…` has the limits of requests that read.
 */
function waitsOf(status: number, headers: Headers): ProviderWaits {
  const shares = ['x-ratelimit', 'x-readratelimit'].flatMap((kind) => {
    const [limits, usages] = [numbersOf(headers, `${kind}-limit`), numbersOf(headers, `${kind}-usage`)];
    return [QUARTER_SECONDS, DAY_SECONDS].map((every, n) => ({
      limit: limits[n] ?? null,
      used: usages[n] ?? null,
      seconds: until(every),
    }));
  });
  return waitsOfShares(status, shares, until(QUARTER_SECONDS));
}

/**
 * Returns the seconds until the next full quarter of an hour, or the next day in UTC. One second is added, because
 * Strava's clock may be behind ours.
 */
function until(every: number): number {
  const now = Date.now() / 1_000;
  return Math.ceil(every - (now % every)) + 1;
}
