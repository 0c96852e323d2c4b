// https://cloud-api.wahooligan.com/#workouts, #users and #rate-limiting
import { BY_HAND } from '../../by-hand.ts';
import { profile } from '../../summaries/resources/profile.ts';
import { workout } from '../../summaries/resources/workout.ts';
import type { Importer, ImportSource, TimeWindow } from '../importer.ts';

import { summariesOf, type Item } from '../responses/fitting.ts';
import type { Headers, ProviderApi, ProviderWaits } from '../provider-api.ts';
import {
  momentAfter,
  momentIn,
  nameIn,
  numberOr,
  objectIn,
  objectOr,
  objectsIn,
  textOr,
  wholeOr,
  zoneOr,
  type ProviderObject,
} from '../responses/read-response.ts';
import { waitsOfShares, numbersOf } from '../responses/shares.ts';
import { sportOf } from './map-sports.ts';

const API = 'https://api.wahooligan.com/v1';
const SOURCE = { provider: 'wahoo', source_type: 'unknown' } as const;
const PER_PAGE = 60;
/** The most pages of one window. They have 6,000 workouts. With more, Wahoo probably repeats pages without end. */
const MAX_PAGES = 100;

const api: ProviderApi = { slug: 'wahoo', waitsOf };

const MAPPERS = {
  profile: { resource: profile, toItem: toProfile },
  workouts: { resource: workout, toItem: toWorkout },
} satisfies Importer['mappers'];

export const importer: Importer = {
  resources: {
    profile: { windowDays: 366, polled: false },
    // Wahoo has one list of all workouts, which each window reads from its beginning. So windows are long.
    workouts: { windowDays: 366 },
  },
  pollDays: 3,
  // An application may send 5,000 requests a day for all its users.
  pollEverySeconds: 3_600,
  mappers: MAPPERS,
  findOne: async (source, _resource, id) => {
    const url = `${API}/workouts/${encodeURIComponent(id)}`;
    const found = await source.ask(api, { url, mayBeMissing: true });
    return found === null ? 'gone' : [...summariesOf(source.ctx.log, MAPPERS.workouts, [objectIn(found)])];
  },
  pull: async function* (source, resource, window) {
    const { log } = source.ctx;
    if (resource === 'profile') {
      const person = objectIn(await source.ask(api, { url: `${API}/user` }));
      yield* summariesOf(log, MAPPERS.profile, [person]);
      return;
    }
    for await (const page of workouts(source, window)) yield* summariesOf(log, MAPPERS.workouts, page);
  },
};

/** Yields the workouts that began in the window. The list begins with the newest ones. */
async function* workouts(source: ImportSource, { from, to }: TimeWindow): AsyncIterable<ProviderObject[]> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const query = { page, per_page: PER_PAGE };
    const response = objectIn(await source.ask(api, { url: `${API}/workouts`, query }));
    const found = objectsIn(response['workouts']);
    if (found.length === 0) return;
    const began = found.map(({ starts }) => momentIn(starts));
    yield found.filter((_, n) => isIn(began[n] ?? null, { from, to }));
    const isPast = began.every((moment) => moment !== null && moment < from);
    if (isPast && response['order'] !== 'ascending') return;
  }
}

/** Whether a workout began in the window. Wahoo also lists planned workouts, which begin in the future. */
const isIn = (moment: string | null, { from, to }: TimeWindow): boolean =>
  moment !== null && moment >= from && moment < to;

/**
 * Returns a workout; null if it has no summary, because then the person only planned it. Wahoo writes numbers as texts.
 */
function toWorkout(found: ProviderObject): Item {
  const time_start = momentIn(found['starts']);
  const summary = objectOr(found['workout_summary']);
  const seconds = numberOr(summary['duration_total_accum']) ?? (numberOr(found['minutes']) ?? 0) * 60;
  const time_end = time_start === null ? null : momentAfter(time_start, seconds);
  if (time_start === null || time_end === null || Object.keys(summary).length === 0) return null;
  const power = measured(summary['power_avg']);
  return {
    ...SOURCE,
    ...(summary['manual'] === true ? BY_HAND : {}),
    provider_id: nameIn(found['id']),
    time_zone: zoneOr(summary['time_zone']),
    title: textOr(found['name']),
    sport: sportOf(found['workout_type_id']),
    time_start,
    time_end,
    moving_time: wholeOr(summary['duration_active_accum']),
    distance: numberOr(summary['distance_accum']),
    calories: numberOr(summary['calories_accum']),
    total_elevation_gain: numberOr(summary['ascent_accum']),
    average_speed: numberOr(summary['speed_avg']),
    average_hr: wholeOr(measured(summary['heart_rate_avg'])),
    average_watts: power,
    device_watts: power,
    weighted_average_watts: measured(summary['power_bike_np_last']),
  };
}

/** Returns a measured number; null for 0, which Wahoo writes if there was no sensor. */
const measured = (value: unknown): number | null => numberOr(value) || null;

function toProfile(person: ProviderObject): Item {
  const metres = measured(person['height']);
  return {
    ...SOURCE,
    provider_id: nameIn(person['id']),
    height: metres === null ? null : Math.round(metres * 100),
    birth_date: textOr(person['birth']),
  };
}

/** The waits in seconds if a response states none, for the limits of a day, an hour and five minutes. */
const WAITS_SECONDS = [3_600, 600, 300];

/**
 * Reads `X-RateLimit-Limit: 5000, 1000, 200` and `-Remaining`. `-Reset` has its seconds only after a limit is used up.
 */
function waitsOf(status: number, headers: Headers): ProviderWaits {
  const [limits, left] = [numbersOf(headers, 'x-ratelimit-limit'), numbersOf(headers, 'x-ratelimit-remaining')];
  const reset = numbersOf(headers, 'x-ratelimit-reset')[0] || null;
  const shares = WAITS_SECONDS.map((seconds, n) => {
    const [limit, remaining] = [limits[n] ?? null, left[n] ?? null];
    const used = limit === null || remaining === null ? null : limit - remaining;
    return { limit, used, seconds: reset ?? seconds };
  });
  return waitsOfShares(status, shares, reset ?? (WAITS_SECONDS[2] as number));
}
