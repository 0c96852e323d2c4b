// https://developers.strava.com/docs/reference/, https://developers.strava.com/docs/rate-limits/
import { isDeepStrictEqual } from 'node:util';
import { BY_HAND } from '../../by-hand.ts';
import { findPayloads } from '../../summaries/find-payloads.ts';
import { findStreamed } from '../../summaries/summary-streams/find-streamed.ts';
import { device } from '../../summaries/resources/device.ts';
import { profile } from '../../summaries/resources/profile.ts';
import { workout } from '../../summaries/resources/workout.ts';
import type { Importer, Pulled, ImportSource, Window } from '../importer.ts';

import { devicesOf } from '../answers/devices.ts';
import { summariesOf, type Item } from '../answers/fitting.ts';
import type { Headers, ProviderApi, Hold } from '../provider-api.ts';
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
  type Found,
} from '../answers/read-answer.ts';
import { holdOfShares, numbersOf } from '../answers/shares.ts';

const API = 'https://www.strava.com/api/v3';
const STREAMS = 'time,distance,latlng,altitude,velocity_smooth,heartrate,cadence,watts,temp';
const PER_PAGE = 200;
/** 20,000 activities in a window: whoever has more has an answer that repeats itself. */
const MOST_PAGES = 100;

const api: ProviderApi = { slug: 'strava', holdOf };

const MAPPERS = {
  profile: { resource: profile, toItem: toProfile },
  workouts: { resource: workout, toItem: toWorkout, withoutPoints: true },
  device: { resource: device, toItem: toDevice },
} satisfies Importer['mappers'];

export const importer: Importer = {
  resources: {
    profile: { windowDays: 366, polled: false },
    // Each activity costs a request of the few that an application has, and its points another one.
    workouts: { windowDays: 30 },
    workout_stream: { windowDays: 30, with: 'workouts' },
  },
  pollDays: 3,
  // An application may ask 1,000 times a day for everybody together.
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

/** A page can be shorter than asked for and still not be the last: that one is empty. */
async function* activities(source: ImportSource, { from, to }: Window): AsyncIterable<Found[]> {
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const query = { after: secondsOf(from) - 1, before: Math.ceil(Date.parse(to) / 1_000), page, per_page: PER_PAGE };
    const found = objectsIn(await source.ask(api, { url: `${API}/athlete/activities`, query }));
    if (found.length === 0) return;
    yield found;
  }
}

/** Activities, and what recorded them, which lists do not always name. */
function* recorded({ ctx: { log } }: ImportSource, activities: Found[]): Iterable<Pulled> {
  yield* devicesOf(
    log,
    MAPPERS.device,
    activities.map(({ device_name }) => ({ device_name })),
  );
  yield* summariesOf(log, MAPPERS.workouts, activities);
}

const ofStrava = (page: Found[]) => ({ provider: 'strava', provider_ids: page.map(({ id }) => nameIn(id)) });

/**
 * Activities as they are told one by one: only there stands what was burnt. One that was read before and that the list tells
 * as it was then is not asked for again.
 */
async function* inFull(source: ImportSource, page: Found[]): AsyncIterable<Found> {
  const kept = await findPayloads(source.ctx, source.user, { resource: workout.name, ...ofStrava(page) });
  for (const activity of page) {
    const id = nameIn(activity['id']);
    const before = objectOr(kept.get(id));
    if (isStill(before, activity)) {
      yield before;
      continue;
    }
    const url = `${API}/activities/${encodeURIComponent(id)}`;
    const whole = await source.ask(api, { url, mayBeMissing: true });
    if (whole !== null) yield objectIn(whole);
  }
}

/** What Strava calls an activity that is told with everything. */
const IN_FULL = 3;

/** Whether an activity in full is what the list tells, as far as we read it. The list has no calories, and the way roughly. */
function isStill(whole: Found, listed: Found): boolean {
  if (whole['resource_state'] !== IN_FULL && !('calories' in whole)) return false;
  const told = { ...listed, calories: whole['calories'], map: whole['map'] };
  return isDeepStrictEqual(toWorkout(told), toWorkout(whole));
}

/** The points of an activity that has none yet: those that are kept do not change. */
async function* withStream(source: ImportSource, activity: Found): AsyncIterable<Pulled> {
  const item = activity['manual'] === true ? null : toWorkout(activity);
  if (item === null) return;
  const url = `${API}/activities/${encodeURIComponent(nameIn(activity['id']))}/streams`;
  const query = { keys: STREAMS, key_by_type: 'true' };
  const streams = await source.ask(api, { url, query, mayBeMissing: true });
  const stream = streams === null ? null : toStream(item['time_start'] as string, objectIn(streams));
  if (stream) yield* summariesOf(source.ctx.log, MAPPERS.workouts, [activity], { stream });
}

function toWorkout(activity: Found): Item {
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
    // There it says whether power was measured, and is not an estimate.
    device_watts: activity['device_watts'] === true ? average_watts : null,
    max_watts: numberOr(activity['max_watts']),
    weighted_average_watts: numberOr(activity['weighted_average_watts']),
    map: polyline === null && summary_polyline === null ? null : { polyline, summary_polyline },
  };
}

/** A watch, a phone with an app or something else: its name does not say. */
function toDevice({ device_name }: Found): Item {
  const device_model = textOr(device_name);
  return device_model === null ? null : { provider: 'strava', source_type: 'unknown', device_model };
}

/** By the second, from the start of the activity; null where nothing is timed. */
function toStream(time_start: string, streams: Found): Record<string, unknown> | null {
  const dataOf = (name: string): unknown => objectOr(streams[name])['data'];
  const seconds = numbersOr(dataOf('time'));
  if (seconds === null || seconds.length === 0 || seconds.includes(null)) return null;
  const start = secondsOf(time_start);
  const places = Array.isArray(dataOf('latlng')) ? (dataOf('latlng') as unknown[]).map(numbersOr) : null;
  const columns = {
    distance: numbersOr(dataOf('distance')),
    altitude: numbersOr(dataOf('altitude')),
    velocity_smooth: numbersOr(dataOf('velocity_smooth')),
    heartrate: numbersOr(dataOf('heartrate'))?.map(wholeOr),
    cadence: numbersOr(dataOf('cadence')),
    power: numbersOr(dataOf('watts')),
    temperature: numbersOr(dataOf('temp')),
    lat: places?.map((place) => place?.[0] ?? null),
    lng: places?.map((place) => place?.[1] ?? null),
  };
  const measured = Object.entries(columns).filter(([, column]) => column?.length === seconds.length);
  return { time: seconds.map((second) => start + Math.round(second as number)), ...Object.fromEntries(measured) };
}

function toProfile(athlete: Found): Item {
  return {
    provider: 'strava',
    source_type: 'app',
    provider_id: nameIn(athlete['id']),
    sex: athlete['sex'] === 'M' ? 'male' : athlete['sex'] === 'F' ? 'female' : null,
  };
}

const QUARTER_SECONDS = 900;
const DAY_SECONDS = 86_400;
/** `X-RateLimit-Limit: 200,2000` and `-Usage`: by the quarter of an hour and by the day in UTC; reads have their own. */
function holdOf(status: number, headers: Headers): Hold {
  const shares = ['x-ratelimit', 'x-readratelimit'].flatMap((kind) => {
    const [limits, usages] = [numbersOf(headers, `${kind}-limit`), numbersOf(headers, `${kind}-usage`)];
    return [QUARTER_SECONDS, DAY_SECONDS].map((every, n) => ({
      limit: limits[n] ?? null,
      used: usages[n] ?? null,
      seconds: until(every),
    }));
  });
  return holdOfShares(status, shares, until(QUARTER_SECONDS));
}

/** Seconds until the next full quarter of an hour or day in UTC, and one for clocks that differ. */
function until(every: number): number {
  const now = Date.now() / 1_000;
  return Math.ceil(every - (now % every)) + 1;
}
