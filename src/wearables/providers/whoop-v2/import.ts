// https://developer.whoop.com/api, https://developer.whoop.com/docs/developing/rate-limiting
import { body } from '../../summaries/resources/body.ts';
import { activity } from '../../summaries/resources/activity.ts';
import { profile } from '../../summaries/resources/profile.ts';
import { sleep } from '../../summaries/resources/sleep.ts';
import { workout } from '../../summaries/resources/workout.ts';
import type { Importer, Pulled, ImportSource, TimeWindow } from '../importer.ts';

import { samplesOf, summariesOf, type Measured } from '../responses/fitting.ts';
import type { Headers, ProviderApi, ProviderWaits } from '../provider-api.ts';
import { pagesByToken } from '../responses/pages.ts';
import {
  momentIn,
  nameIn,
  numberOr,
  objectIn,
  objectOr,
  objectsIn,
  type ProviderObject,
} from '../responses/read-response.ts';
import { waitsOfShares, numbersOf } from '../responses/shares.ts';
import { offsetOf, toActivity, toBody, toProfile, toSleep, toWorkout, WRISTBAND } from './map.ts';
import { ownProperty } from '../../../wire/own-property.ts';

const API = 'https://api.prod.whoop.com/developer/v2';
const MAX_A_PAGE = 25;
const MINUTE_SECONDS = 60;

const api: ProviderApi = { slug: 'whoop_v2', waitsOf };

const MAPPERS = {
  profile: { resource: profile, toItem: toProfile },
  body: { resource: body, toItem: toBody },
  activity: { resource: activity, toItem: toActivity },
  sleep: { resource: sleep, toItem: toSleep },
  workouts: { resource: workout, toItem: toWorkout },
} satisfies Importer['mappers'];

const month = { windowDays: 30 };
const ofNights = { windowDays: 30, with: 'sleep' };
/** Data that the person entered, for example the height. WHOOP has only the present values, without a time. */
const asItIs = { windowDays: 366, polled: false } as const;

export const importer: Importer = {
  resources: {
    profile: asItIs,
    body: { ...asItIs, with: 'profile' },
    activity: month,
    sleep: month,
    hrv: ofNights,
    blood_oxygen: ofNights,
    respiratory_rate: ofNights,
    workouts: month,
  },
  pollDays: 3,
  // An application may send 10,000 requests a day for all its users.
  pollEverySeconds: 3_600,
  mappers: MAPPERS,
  sampleSources: [WRISTBAND.source_type],
  findOne: async (source, resource, id) => {
    const one = (path: string) => source.ask(api, { url: `${API}/${path}`, mayBeMissing: true });
    const { log } = source.ctx;
    const kind = resource === 'workouts' ? 'workout' : 'sleep';
    const found = await one(`activity/${kind}/${encodeURIComponent(id)}`);
    if (found === null) return 'gone';
    if (kind === 'workout') return [...summariesOf(log, MAPPERS.workouts, [objectIn(found)])];
    const night = objectIn(found);
    const recovery = await one(`cycle/${encodeURIComponent(nameIn(night['cycle_id']))}/recovery`);
    return [...summariesOf(log, MAPPERS.sleep, [{ ...night, recovery: objectOr(objectOr(recovery)['score']) }])];
  },
  pull: (source, resource, window) => (ownProperty(READERS, resource) as Reader)(source, window),
};

type Reader = (source: ImportSource, window: TimeWindow) => AsyncIterable<Pulled>;

async function* records(source: ImportSource, path: string, { from, to }: TimeWindow): AsyncIterable<ProviderObject[]> {
  const query = { start: from, end: to, limit: MAX_A_PAGE };
  const next = { inResponse: 'next_token', inRequest: 'nextToken' };
  for await (const response of pagesByToken(source, api, { url: `${API}/${path}`, query, ...next }))
    yield objectsIn(response['records']);
}

const daysFrom = (moment: string, days: number): string =>
  new Date(Date.parse(moment) + days * 86_400_000).toISOString();

/** The series of recoveries (WHOOP's measure after each night), each with its field. */
const RECOVERED: Readonly<Record<string, string>> = { hrv: 'hrv_rmssd_milli', blood_oxygen: 'spo2_percentage' };

/**
 * Yields the samples of recoveries. The values were measured in sleep. As their time we take the time at which WHOOP
 * made the record, soon after the end of the night.
 */
function* recovered({ wanted }: ImportSource, page: readonly ProviderObject[]): Iterable<Pulled> {
  for (const [name, field] of Object.entries(RECOVERED)) {
    if (!wanted.has(name)) continue;
    const measured = page.flatMap(({ created_at, score }): Measured[] => {
      const at = momentIn(created_at);
      return at === null ? [] : [{ at, value: numberOr(objectOr(score)[field]) }];
    });
    yield* samplesOf(name, WRISTBAND, measured);
  }
}

function* breaths({ wanted }: ImportSource, page: readonly ProviderObject[]): Iterable<Pulled> {
  if (!wanted.has('respiratory_rate')) return;
  const measured = page.flatMap((found): Measured[] => {
    const at = momentIn(found['end']);
    const value = numberOr(objectOr(found['score'])['respiratory_rate']);
    return at === null ? [] : [{ at, value, timezone_offset: offsetOf(found) }];
  });
  yield* samplesOf('respiratory_rate', WRISTBAND, measured);
}

const recoveries: Reader = async function* (source, window) {
  for await (const page of records(source, 'recovery', window)) yield* recovered(source, page);
};

/** Yields the measurements that the person entered. One request brings them for both summaries, profile and body. */
const measurements: Reader = async function* (source, { to }) {
  const person = objectIn(await source.ask(api, { url: `${API}/user/measurement/body` }));
  const { log } = source.ctx;
  if (source.wanted.has('profile')) yield* summariesOf(log, MAPPERS.profile, [person]);
  if (source.wanted.has('body')) yield* summariesOf(log, MAPPERS.body, [{ ...person, read_at: to }]);
};

const READERS: Readonly<Record<string, Reader>> = {
  profile: measurements,
  body: measurements,
  activity: async function* (source, window) {
    for await (const page of records(source, 'cycle', window))
      yield* summariesOf(source.ctx.log, MAPPERS.activity, page);
  },
  sleep: async function* (source, window) {
    const scores = new Map<string, ProviderObject>();
    // The recovery of a night may be just outside of the window. Without it, the night would replace the stored night
    // that has a recovery. So recoveries are requested for one more day on both sides.
    const around = { from: daysFrom(window.from, -1), to: daysFrom(window.to, 1) };
    for await (const page of records(source, 'recovery', around)) {
      for (const { sleep_id, score } of page) scores.set(nameIn(sleep_id), objectOr(score));
      yield* recovered(source, page);
    }
    for await (const page of records(source, 'activity/sleep', window)) {
      const nights = page.map((found) => ({ ...found, recovery: scores.get(nameIn(found['id'])) ?? {} }));
      yield* summariesOf(source.ctx.log, MAPPERS.sleep, nights);
      yield* breaths(source, page);
    }
  },
  workouts: async function* (source, window) {
    for await (const page of records(source, 'activity/workout', window))
      yield* summariesOf(source.ctx.log, MAPPERS.workouts, page);
  },
  hrv: recoveries,
  blood_oxygen: recoveries,
  respiratory_rate: async function* (source, window) {
    for await (const page of records(source, 'activity/sleep', window)) yield* breaths(source, page);
  },
};

/**
 * Reads `X-RateLimit-Limit: 100, 100;window=60, 10000;window=86400`. The first number is the limit that will be used up
 * first.
 */
function waitsOf(status: number, headers: Headers): ProviderWaits {
  const [limit = null, remaining = null, reset = null] = ['limit', 'remaining', 'reset'].map(
    (name) => numbersOf(headers, `x-ratelimit-${name}`)[0] ?? null,
  );
  const seconds = (reset ?? MINUTE_SECONDS) + 1;
  const used = limit === null || remaining === null ? null : limit - remaining;
  return waitsOfShares(status, [{ limit, used, seconds }], seconds);
}
