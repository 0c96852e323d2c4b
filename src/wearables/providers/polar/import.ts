// https://www.polar.com/accesslink-api/: lists of the last 28 or 30 days, of what came after the user was registered
import { momentOfClock } from '../../calendar-date.ts';
import { activity } from '../../summaries/resources/activity.ts';
import { body } from '../../summaries/resources/body.ts';
import { profile } from '../../summaries/resources/profile.ts';
import { sleep } from '../../summaries/resources/sleep.ts';
import { workout } from '../../summaries/resources/workout.ts';
import { findStreamed } from '../../summaries/summary-streams/find-streamed.ts';
import type { Importer, Pulled, ImportSource, Window } from '../importer.ts';

import { daysAround } from '../answers/days.ts';
import { samplesOf, summariesOf, type Measured } from '../answers/fitting.ts';
import type { Headers, ProviderApi, Question, Hold } from '../provider-api.ts';
import {
  momentIn,
  nameIn,
  numberOr,
  objectIn,
  objectsIn,
  objectsOr,
  textOr,
  type Found,
} from '../answers/read-answer.ts';
import { holdOfShares, numbersOf } from '../answers/shares.ts';
import { toStream, toWorkout } from './map-exercises.ts';
import { measuredAsleep, toSleep } from './map-sleep.ts';
import { toActivity, toBody, toProfile, WATCH, weighed } from './map-summaries.ts';
import { ownOf } from '../../../wire/own.ts';

const API = 'https://www.polaraccesslink.com/v3';
const QUARTER_SECONDS = 900;

/** What there is nothing of is answered without content. */
const api: ProviderApi = { slug: 'polar', holdOf, statusOf: (status) => (status === 204 ? 404 : status) };

const MAPPERS = {
  profile: { resource: profile, toItem: toProfile },
  body: { resource: body, toItem: toBody },
  activity: { resource: activity, toItem: toActivity },
  sleep: { resource: sleep, toItem: toSleep },
  workouts: { resource: workout, toItem: toWorkout, withoutPoints: true },
} satisfies Importer['mappers'];

/** The list of everything that there is, whatever the window. */
const all = { windowDays: 366 };

const ofNights = { ...all, with: 'sleep' };

export const importer: Importer = {
  resources: {
    profile: { ...all, polled: false },
    body: { ...all, with: 'profile' },
    // It answers 28 days, of which some stand around the window.
    activity: { windowDays: 25 },
    sleep: all,
    sleep_cycle: ofNights,
    hrv: ofNights,
    respiratory_rate: ofNights,
    workouts: all,
    // Each costs a request.
    workout_stream: { ...all, with: 'workouts' },
    // Some devices measure every few seconds.
    heartrate: { windowDays: 5 },
  },
  // A watch is read when its wearer thinks of it.
  pollDays: 5,
  // An application may ask 5,000 times a day and 100 times more for each user; a poll asks six times.
  pollEverySeconds: 10_800,
  mappers: MAPPERS,
  pull: (source, resource, window) => (ownOf(READERS, resource) as Reader)(source, window),
};

type Reader = (source: ImportSource, window: Window) => AsyncIterable<Pulled>;

/** null: there is nothing. */
const ask = (source: ImportSource, path: string, query: NonNullable<Question['query']> = {}): Promise<unknown> =>
  source.ask(api, { url: `${API}/${path}`, query, mayBeMissing: true });

const listIn = (answer: unknown, name: string): Found[] => (answer === null ? [] : objectsOr(objectIn(answer)[name]));

const exercises = async (source: ImportSource): Promise<Found[]> => objectsIn((await ask(source, 'exercises')) ?? []);

/** Nights, each with what its recovery was. */
async function nights(source: ImportSource): Promise<{ night: Found; recharge: Found }[]> {
  const recharges = new Map(
    listIn(await ask(source, 'users/nightly-recharge'), 'recharges').map((each) => [nameIn(each['date']), each]),
  );
  const found = listIn(await ask(source, 'users/sleep'), 'nights');
  return found.map((night) => ({ night, recharge: recharges.get(nameIn(night['date'])) ?? {} }));
}

/** What was measured in nights, by the names of series: a field of the recovery. */
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

/** What the person has told of themselves, once for all that is made of it. */
const person: Reader = async function* (source) {
  const { wanted, ctx } = source;
  const found = await ask(source, 'users/physical-info');
  if (found === null) return;
  if (wanted.has('profile')) yield* summariesOf(ctx.log, MAPPERS.profile, [objectIn(found)]);
  if (wanted.has('body')) yield* summariesOf(ctx.log, MAPPERS.body, [weighed(objectIn(found))]);
};

/** Exercises, and points of those that have none yet. */
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

/** It refuses days that are yet to come. */
function daysOf(window: Window): { from: string; to: string } {
  const { first, last } = daysAround(window);
  const today = new Date().toISOString().slice(0, 10);
  return { from: first, to: last < today ? last : today };
}

/** Times are those of the device's clock, of which it does not tell the place: it is taken to be where the user is. */
function onTheDay({ user }: ImportSource, day: Found): Measured[] {
  const date = nameIn(day['date']);
  momentIn(date);
  const clock = { timezone_offset: null, time_zone: user.fallback_time_zone };
  return objectsOr(day['heart_rate_samples']).flatMap(({ heart_rate, sample_time }): Measured[] => {
    const sinceMidnight = Date.parse(`1970-01-01T${textOr(sample_time)}Z`);
    if (Number.isNaN(sinceMidnight)) return [];
    return [{ at: momentOfClock(date, sinceMidnight, clock), value: numberOr(heart_rate) }];
  });
}

/** `RateLimit-Usage: 3, 45`, `-Limit` and `-Reset`: by the quarter of an hour and by the day. */
function holdOf(status: number, headers: Headers): Hold {
  const [limits, usages, resets] = ['limit', 'usage', 'reset'].map((name) => numbersOf(headers, `ratelimit-${name}`));
  const shares = [0, 1].map((n) => ({
    limit: limits?.[n] ?? null,
    used: usages?.[n] ?? null,
    seconds: (resets?.[n] ?? QUARTER_SECONDS) + 1,
  }));
  return holdOfShares(status, shares, (resets?.[0] ?? QUARTER_SECONDS) + 1);
}
