// https://cloud.ouraring.com/v2/docs
import { dayEdges, offsetWithin } from '../../calendar-date.ts';
import { BY_HAND } from '../../by-hand.ts';
import { activity } from '../../summaries/resources/activity.ts';
import { profile } from '../../summaries/resources/profile.ts';
import { sleep } from '../../summaries/resources/sleep.ts';
import { workout } from '../../summaries/resources/workout.ts';
import type { Importer, Pulled, ImportSource, TimeWindow } from '../importer.ts';

import { daysAround } from '../responses/days-around.ts';
import { samplesOf, summariesOf, type Item, type Measured } from '../responses/fitting.ts';
import { pagesByToken } from '../responses/pages.ts';
import { isDeleted, measuredAsleep, toSleep } from './map-sleep.ts';
import {
  momentIn,
  nameIn,
  numberOr,
  objectIn,
  objectOr,
  objectsIn,
  textOr,
  wholeOr,
  wordOf,
  type ProviderObject,
} from '../responses/read-response.ts';
import { ownProperty } from '../../../wire/own-property.ts';
import type { ProviderApi } from '../provider-api.ts';

const API = 'https://api.ouraring.com/v2/usercollection';
const SOURCE = { provider: 'oura', source_type: 'ring' } as const;
const DAY_MS = 86_400_000;

const api: ProviderApi = { slug: 'oura' };

const MAPPERS = {
  profile: { resource: profile, toItem: toProfile },
  activity: { resource: activity, toItem: toActivity },
  sleep: { resource: sleep, toItem: toSleep },
  workouts: { resource: workout, toItem: toWorkout },
} satisfies Importer['mappers'];

const ofDays = { windowDays: 90, with: 'activity' };
const ofNights = { windowDays: 30, with: 'sleep' };

export const importer: Importer = {
  resources: {
    profile: { windowDays: 366, polled: false },
    activity: { windowDays: 90 },
    steps: ofDays,
    distance: ofDays,
    calories_active: ofDays,
    sleep: { windowDays: 30 },
    sleep_cycle: ofNights,
    hrv: ofNights,
    respiratory_rate: ofNights,
    workouts: { windowDays: 90 },
    blood_oxygen: { windowDays: 90 },
    vo2_max: { windowDays: 90 },
    // Oura accepts windows of at most 30 days.
    heartrate: { windowDays: 30 },
  },
  // A ring may be out of reach of its phone for days, and then sends old data.
  pollDays: 4,
  pollEverySeconds: 1_800,
  mappers: MAPPERS,
  sampleSources: [SOURCE.source_type],
  // Returns 'gone', or null if the document exists. Other documents belong to it, for example the score of a night. So
  // we pull the days around the document, and not the document alone.
  findOne: async (source, resource, id) => {
    const path = ownProperty(DOCUMENTS, resource);
    if (path === undefined) return null;
    const url = `${API}/${path}/${encodeURIComponent(id)}`;
    const found = await source.ask(api, { url, mayBeMissing: true });
    return found === null || isDeleted(objectOr(found)) ? 'gone' : null;
  },
  pull: (source, resource, window) => (ownProperty(READERS, resource) as Reader)(source, window),
};

/** The path of each kind of summary that is one document of Oura. */
const DOCUMENTS: Readonly<Record<string, string>> = { activity: 'daily_activity', sleep: 'sleep', workouts: 'workout' };

type Reader = (source: ImportSource, window: TimeWindow) => AsyncIterable<Pulled>;

/** Yields the documents of these days, page by page. */
async function* documents(source: ImportSource, path: string, window: TimeWindow): AsyncIterable<ProviderObject[]> {
  const { first, last } = daysAround(window);
  yield* pages(source, path, { start_date: first, end_date: last });
}

async function* pages(
  source: ImportSource,
  path: string,
  query: Record<string, string>,
): AsyncIterable<ProviderObject[]> {
  const next = { inResponse: 'next_token', inRequest: 'next_token' };
  for await (const response of pagesByToken(source, api, { url: `${API}/${path}`, query, ...next }))
    yield objectsIn(response['data']);
}

/** Returns the samples that a document contains for a series. */
type MeasuredIn = (found: ProviderObject, source: ImportSource) => Measured[];

/** Yields samples of those wanted series that the documents contain. */
function* samplesIn(
  source: ImportSource,
  page: readonly ProviderObject[],
  series: Readonly<Record<string, MeasuredIn>>,
) {
  for (const [name, measured] of Object.entries(series)) {
    if (!source.wanted.has(name)) continue;
    const found = page.flatMap((document) => (isDeleted(document) ? [] : measured(document, source)));
    yield* samplesOf(name, SOURCE, found);
  }
}

const samples = (path: string, series: Readonly<Record<string, MeasuredIn>>): Reader =>
  async function* (source, window) {
    for await (const page of documents(source, path, window)) yield* samplesIn(source, page, series);
  };

/** Returns the total of a day as one sample. Oura has no values of shorter intervals in these units. */
const ofDay =
  (field: string) =>
  (found: ProviderObject): Measured[] => {
    const at = momentIn(found['timestamp']);
    const timezone_offset = offsetWithin(String(found['timestamp']));
    return at === null ? [] : [{ at, value: numberOr(found[field]), duration_ms: DAY_MS, timezone_offset }];
  };

/** Returns the beginning of the user's day, for a value that has a day and no time. */
function atDay({ day }: ProviderObject, { user }: ImportSource): string | null {
  const date = textOr(day);
  if (date === null || momentIn(date) === null) return null;
  return dayEdges(date.slice(0, 10), { timezone_offset: null, time_zone: user.fallback_time_zone }).start;
}

const IN_DAYS = {
  steps: ofDay('steps'),
  distance: ofDay('equivalent_walking_distance'),
  calories_active: ofDay('active_calories'),
} satisfies Record<string, MeasuredIn>;

const IN_NIGHTS = {
  hrv: (found) => measuredAsleep(found, 'hrv'),
  respiratory_rate: (found) => {
    const at = momentIn(found['bedtime_end']);
    const timezone_offset = offsetWithin(String(found['bedtime_end']));
    return at === null ? [] : [{ at, value: numberOr(found['average_breath']), timezone_offset }];
  },
} satisfies Record<string, MeasuredIn>;

/** Yields activities of days, with their samples. */
const days: Reader = async function* (source, window) {
  for await (const page of documents(source, 'daily_activity', window)) {
    yield* summariesOf(source.ctx.log, MAPPERS.activity, page);
    yield* samplesIn(source, page, IN_DAYS);
  }
};

/** Yields nights, each with the score of its day and with its samples. */
const nights: Reader = async function* (source, window) {
  const daily = new Map<string, ProviderObject>();
  for await (const page of documents(source, 'daily_sleep', window))
    for (const found of page) daily.set(String(found['day']), found);
  for await (const page of documents(source, 'sleep', window)) {
    const found = page.map((each) => ({ ...each, daily_sleep: daily.get(String(each['day'])) ?? null }));
    yield* summariesOf(source.ctx.log, MAPPERS.sleep, found);
    yield* samplesIn(source, page, IN_NIGHTS);
    const provider_ids = page.filter(isDeleted).map(({ id }) => nameIn(id));
    if (provider_ids.length > 0) yield { gone: { resource: sleep.name, provider: api.slug, provider_ids } };
  }
};

const READERS: Readonly<Record<string, Reader>> = {
  profile: async function* (source) {
    const person = objectIn(await source.ask(api, { url: `${API}/personal_info` }));
    yield* summariesOf(source.ctx.log, MAPPERS.profile, [person]);
  },
  activity: days,
  ...Object.fromEntries(Object.keys(IN_DAYS).map((name) => [name, samples('daily_activity', IN_DAYS)])),
  sleep: nights,
  sleep_cycle: nights,
  ...Object.fromEntries(Object.keys(IN_NIGHTS).map((name) => [name, samples('sleep', IN_NIGHTS)])),
  workouts: async function* (source, window) {
    for await (const page of documents(source, 'workout', window))
      yield* summariesOf(source.ctx.log, MAPPERS.workouts, page);
  },
  blood_oxygen: samples('daily_spo2', {
    blood_oxygen: (found, source) => {
      const at = atDay(found, source);
      return at === null ? [] : [{ at, value: numberOr(objectOr(found['spo2_percentage'])['average']) }];
    },
  }),
  vo2_max: samples('vO2_max', {
    vo2_max: (found) => {
      const at = momentIn(found['timestamp']);
      const timezone_offset = offsetWithin(String(found['timestamp']));
      return at === null ? [] : [{ at, value: numberOr(found['vo2_max']), timezone_offset }];
    },
  }),
  heartrate: async function* (source, { from, to }) {
    for await (const page of pages(source, 'heartrate', { start_datetime: from, end_datetime: to })) {
      const measured = page.flatMap(({ timestamp, bpm }): Measured[] => {
        const at = momentIn(timestamp);
        return at === null ? [] : [{ at, value: numberOr(bpm) }];
      });
      yield* samplesOf('heartrate', SOURCE, measured);
    }
  },
};

function toActivity(found: ProviderObject): Item {
  const minutes = (seconds: unknown): number | null => {
    const number = numberOr(seconds);
    return number === null ? null : Math.round(number / 6) / 10;
  };
  return {
    ...SOURCE,
    provider_id: nameIn(found['id']),
    calendar_date: nameIn(found['day']).slice(0, 10),
    timezone_offset: offsetWithin(String(found['timestamp'] ?? '')),
    calories_total: numberOr(found['total_calories']),
    calories_active: numberOr(found['active_calories']),
    steps: wholeOr(found['steps']),
    distance: numberOr(found['equivalent_walking_distance']),
    daily_movement: numberOr(found['equivalent_walking_distance']),
    low: minutes(found['low_activity_time']),
    medium: minutes(found['medium_activity_time']),
    high: minutes(found['high_activity_time']),
  };
}

function toWorkout(found: ProviderObject): Item {
  const [time_start, time_end] = [momentIn(found['start_datetime']), momentIn(found['end_datetime'])];
  if (time_start === null || time_end === null) return null;
  return {
    ...SOURCE,
    ...(found['source'] === 'manual' ? BY_HAND : {}),
    provider_id: nameIn(found['id']),
    calendar_date: textOr(found['day'])?.slice(0, 10),
    title: textOr(found['label']),
    sport: wordOf(found['activity']) ?? 'other',
    time_start,
    time_end,
    timezone_offset: offsetWithin(String(found['start_datetime'])),
    calories: numberOr(found['calories']),
    distance: numberOr(found['distance']),
  };
}

function toProfile(person: ProviderObject): Item {
  const metres = numberOr(person['height']);
  const sex = textOr(person['biological_sex']);
  return {
    ...SOURCE,
    provider_id: nameIn(person['id']),
    height: metres === null ? null : Math.round(metres * 100),
    sex: sex === 'male' || sex === 'female' ? sex : null,
  };
}
