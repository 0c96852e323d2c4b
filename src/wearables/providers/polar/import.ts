// https://www.polar.com/accesslink-api/: lists of the last 28 or 30 days. They have no data from before the
// registration of the user.
import { momentOfClock } from '../../calendar-date.ts';
import { activity } from '../../summaries/resources/activity.ts';
import { body } from '../../summaries/resources/body.ts';
import { profile } from '../../summaries/resources/profile.ts';
import { sleep } from '../../summaries/resources/sleep.ts';
import { workout } from '../../summaries/resources/workout.ts';
import { findStreamed } from '../../summaries/summary-streams/find-streamed.ts';
import type { Importer, Pulled, ImportSource, TimeWindow } from '../importer.ts';

import { daysAround } from '../responses/days-around.ts';
import { samplesOf, summariesOf, type Measured } from '../responses/fitting.ts';
import type { Headers, ProviderApi, Question, ProviderWaits } from '../provider-api.ts';
import {
  momentIn,
  nameIn,
  numberOr,
  objectIn,
  objectsIn,
  objectsOr,
  textOr,
  type ProviderObject,
} from '../responses/read-response.ts';
import { waitsOfShares, numbersOf } from '../responses/shares.ts';
import { toStream, toWorkout } from './map-exercises.ts';
import { measuredAsleep, toSleep } from './map-sleep.ts';
import { toActivity, toBody, toProfile, WATCH, weighed } from './map-summaries.ts';
import { ownProperty } from '../../../wire/own-property.ts';

const API = 'https://www.polaraccesslink.com/v3';
const QUARTER_SECONDS = 900;

/** Polar responds with 204 if there is no data. We treat this as 404. */
const api: ProviderApi = { slug: 'polar', waitsOf, statusOf: (status) => (status === 204 ? 404 : status) };

const MAPPERS = {
  profile: { resource: profile, toItem: toProfile },
  body: { resource: body, toItem: toBody },
  activity: { resource: activity, toItem: toActivity },
  sleep: { resource: sleep, toItem: toSleep },
  workouts: { resource: workout, toItem: toWorkout, withoutPoints: true },
} satisfies Importer['mappers'];

/** Polar returns all entries, whatever the window. So one window covers everything. */
const all = { windowDays: 366 };

const ofNights = { ...all, with: 'sleep' };

export const importer: Importer = {
  resources: {
    profile: { ...all, polled: false },
    body: { ...all, with: 'profile' },
    // Polar returns at most 28 days. The window has 25, because a request includes some days around it.
    activity: { windowDays: 25 },
    sleep: all,
    sleep_cycle: ofNights,
    hrv: ofNights,
    respiratory_rate: ofNights,
    workouts: all,
    // The points of each exercise need a request of their own.
    workout_stream: { ...all, with: 'workouts' },
    // Some devices measure a heart rate every few seconds, so the window is short.
    heartrate: { windowDays: 5 },
  },
  // Many people synchronise their watch only now and then, and the old data comes then.
  pollDays: 5,
  // An application may send 5,000 requests a day, plus 100 for each user. A poll sends six.
  pollEverySeconds: 10_800,
  mappers: MAPPERS,
  pull: (source, resource, window) => (ownProperty(READERS, resource) as Reader)(source, window),
};

type Reader = (source: ImportSource, window: TimeWindow) => AsyncIterable<Pulled>;

/** Sends a request and returns the response; null if there is no data. */
const ask = (source: ImportSource, path: string, query: NonNullable<Question['query']> = {}): Promise<unknown> =>
  source.ask(api, { url: `${API}/${path}`, query, mayBeMissing: true });

const listIn = (response: unknown, name: string): ProviderObject[] =>
  response === null ? [] : objectsOr(objectIn(response)[name]);

const exercises = async (source: ImportSource): Promise<ProviderObject[]> =>
  objectsIn((await ask(source, 'exercises')) ?? []);

/** Returns nights, each with the `recharge` of the night, which is Polar's measure of recovery. */
async function nights(source: ImportSource): Promise<{ night: ProviderObject; recharge: ProviderObject }[]> {
  const recharges = new Map(
    listIn(await ask(source, 'users/nightly-recharge'), 'recharges').map((each) => [nameIn(each['date']), each]),
  );
  const found = listIn(await ask(source, 'users/sleep'), 'nights');
  return found.map((night) => ({ night, recharge: recharges.get(nameIn(night['date'])) ?? {} }));
}

/** The series that are measured in sleep, each with the field of a `recharge` that has its values. */
const ASLEEP: Readonly<Record<string, string>> = { hrv: 'hrv_samples', respiratory_rate: 'breathing_samples' };

const asleep: Reader = async function* (source) {
  const { wanted, ctx } = source;
  const found = await nights(source);
  if (wanted.has('sleep') || wanted.has('sleep_cycle')) {
    const raws = found.map(({ night, recharge }) => ({ ...night, recharge }));
    yield* summariesOf(ctx.log, MAPPERS.sleep, raws);
  }
  for (const [name, field] of Object.entries(ASLEEP)) {
    if (!wanted.has(name)) continue;
    for (const { night, recharge } of found) yield* samplesOf(name, WATCH, measuredAsleep(night, recharge[field]));
  }
};

/** Yields the data about the person. One request brings it for both summaries, profile and body. */
const person: Reader = async function* (source) {
  const { wanted, ctx } = source;
  const found = await ask(source, 'users/physical-info');
  if (found === null) return;
  if (wanted.has('profile')) yield* summariesOf(ctx.log, MAPPERS.profile, [objectIn(found)]);
  if (wanted.has('body')) yield* summariesOf(ctx.log, MAPPERS.body, [weighed(objectIn(found))]);
};

/** Yields exercises. Yields the points of an exercise only if no points of it are stored yet. */
const sessions: Reader = async function* (source) {
  const found = await exercises(source);
  if (source.wanted.has('workouts')) yield* summariesOf(source.ctx.log, MAPPERS.workouts, found);
  if (!source.wanted.has('workout_stream')) return;
  const provider_ids = found.map(({ id }) => nameIn(id));
  const known = await findStreamed(source.ctx, source.user, { provider: 'polar', provider_ids });
  for (const exercise of found) {
    const id = nameIn(exercise['id']);
    const item = known.has(id) ? null : toWorkout(exercise);
    if (item === null) continue;
    const whole = await ask(source, `exercises/${encodeURIComponent(id)}`, { samples: 'true', route: 'true' });
    const stream = whole === null ? null : toStream(item['time_start'] as string, objectIn(whole));
    if (stream) yield* summariesOf(source.ctx.log, MAPPERS.workouts, [exercise], { stream });
  }
};

const READERS: Readonly<Record<string, Reader>> = {
  profile: person,
  body: person,
  activity: async function* (source, window) {
    const days = objectsIn((await ask(source, 'users/activities', daysOf(window))) ?? []);
    yield* summariesOf(source.ctx.log, MAPPERS.activity, days);
  },
  sleep: asleep,
  sleep_cycle: asleep,
  hrv: asleep,
  respiratory_rate: asleep,
  workouts: sessions,
  workout_stream: sessions,
  heartrate: async function* (source, window) {
    for (const day of listIn(await ask(source, 'users/continuous-heart-rate', daysOf(window)), 'heart_rates'))
      yield* samplesOf('heartrate', WATCH, onTheDay(source, day));
  },
};

/** Returns the first and last day of a request. Polar refuses days in the future, so the last day is at most today. */
function daysOf(window: TimeWindow): { from: string; to: string } {
  const { first, last } = daysAround(window);
  const today = new Date().toISOString().slice(0, 10);
  return { from: first, to: last < today ? last : today };
}

/** Returns the samples of a day. Their times are local times without a zone, so we take the zone of the user. */
function onTheDay({ user }: ImportSource, day: ProviderObject): Measured[] {
  const date = nameIn(day['date']);
  momentIn(date);
  const clock = { timezone_offset: null, time_zone: user.fallback_time_zone };
  return objectsOr(day['heart_rate_samples']).flatMap(({ heart_rate, sample_time }): Measured[] => {
    const sinceMidnight = Date.parse(`1970-01-01T${textOr(sample_time)}Z`);
    if (Number.isNaN(sinceMidnight)) return [];
    return [{ at: momentOfClock(date, sinceMidnight, clock), value: numberOr(heart_rate) }];
  });
}

/**
 * Reads `RateLimit-Usage: 3, 45`, `-Limit` and `-Reset`. The first number is for a quarter of an hour, the second for a
 * day.
 */
function waitsOf(status: number, headers: Headers): ProviderWaits {
  const [limits, usages, resets] = ['limit', 'usage', 'reset'].map((name) => numbersOf(headers, `ratelimit-${name}`));
  const shares = [0, 1].map((n) => ({
    limit: limits?.[n] ?? null,
    used: usages?.[n] ?? null,
    seconds: (resets?.[n] ?? QUARTER_SECONDS) + 1,
  }));
  return waitsOfShares(status, shares, (resets?.[0] ?? QUARTER_SECONDS) + 1);
}
