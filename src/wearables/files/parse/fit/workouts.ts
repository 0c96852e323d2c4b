// The workouts of a FIT file. Each session becomes a workout with the records of its time. If there is no session, all
// records become one workout.
import { addPoint, joinHeartRates, putActivity, type Activity, type Point } from '../put-activity.ts';
import type { Sink } from '../parsed-line.ts';
import { sourceTypeOf } from '../source-type.ts';
import { sportOf } from '../sport.ts';
import { at, makerOf, number, offsetOf, text, type Message, type Messages } from './fit-messages.ts';
import { rawOf } from './raw.ts';
import { strapHeartRates } from './strap-heart-rates.ts';

/** Passes on the workouts of a file. Returns whether the file has a workout. */
export function putWorkouts(messages: Messages, sink: Sink): boolean {
  const { session: sessions = [], record: records = [], lap: laps = [], activity, sport = [], hr = [] } = messages;
  // Files of the types `course` and `workout` are plans of workouts. Nothing in them was recorded.
  const kind = text(messages['file_id']?.[0]?.['type']);
  if (kind !== '' && kind !== 'activity') return false;
  const recorded = pointsOf(records);
  const parts =
    sessions.length > 0 ? inOrder(sessions) : recorded.length > 0 ? [sessionOf(sport[0] ?? laps[0] ?? {}, laps)] : [];
  const { maker, provider } = makerOf(messages);
  const { during, beside } = apart(strapHeartRates(hr), parts, recorded);
  const points = joinHeartRates(recorded, during);
  const source = { provider, source_type: sourceTypeOf({ device: maker.toLowerCase() }), timezone_offset: null };
  for (const { at, value } of beside)
    sink.sample({ ...source, resource: 'heartrate', timestamp: new Date(at).toISOString(), unit: 'bpm', value });
  for (const [n, session] of parts.entries()) {
    const { start, end } = timesOf(session);
    const until = nextStart(parts, start);
    // Devices write some records after the stated end of a session. So each record belongs to the last session that
    // began before it.
    const within = (moment: number | undefined): boolean =>
      moment !== undefined && (n === 0 || moment >= (start ?? -Infinity)) && moment < until;
    const own = points.filter((point) => within(point.at));
    putActivity(
      {
        maker,
        sport: sportOfSession(session),
        offset: offsetOf(activity?.[0]),
        start,
        end: end === undefined ? undefined : Math.max(end, own.at(-1)?.at ?? end),
        said: saidBy(session),
        points: own,
        raw: rawOf(messages, session, within),
      },
      sink,
    );
  }
  return parts.length > 0;
}

const inOrder = (sessions: Message[]): Message[] =>
  sessions.toSorted((a, b) => (at(a['start_time']) ?? 0) - (at(b['start_time']) ?? 0));

/**
 * Splits the heart rates of the strap into those measured during workouts and those before and after them, for example
 * before a swim.
 */
function apart({ time, value }: { time: number[]; value: number[] }, sessions: Message[], points: Point[]) {
  const spans = sessions.map(timesOf);
  const during: { time: number[]; value: number[] } = { time: [], value: [] };
  const beside: { at: number; value: number }[] = [];
  for (const [n, second] of time.entries()) {
    const [moment, bpm] = [second * 1_000, value[n] as number];
    const isDuring = spans.some(
      ({ start = points[0]?.at ?? Infinity, end = points.at(-1)?.at ?? -Infinity }) => moment >= start && moment <= end,
    );
    if (!isDuring) beside.push({ at: moment, value: bpm });
    else {
      during.time.push(second);
      during.value.push(bpm);
    }
  }
  return { during, beside };
}

/** Returns the start of the next session that begins after `start`; Infinity if there is none. */
const nextStart = (sessions: Message[], start: number | undefined): number =>
  sessions.reduce((next, session) => {
    const begin = at(session['start_time']) ?? Infinity;
    return begin > (start ?? -Infinity) && begin < next ? begin : next;
  }, Infinity);

function timesOf(session: Message): { start: number | undefined; end: number | undefined } {
  const start = at(session['start_time']);
  const elapsed = number(session['total_elapsed_time']);
  const end = start !== undefined && elapsed !== undefined ? start + elapsed * 1_000 : at(session['timestamp']);
  return { start, end };
}

/**
 * Makes a session from the sums of the laps. A file has no session if the device was switched off before the end of the
 * workout.
 */
function sessionOf({ sport, sub_sport }: Message, laps: Message[]): Message {
  const sum = (name: string): number | undefined => {
    const values = laps.flatMap((lap) => number(lap[name]) ?? []);
    return values.length === 0 ? undefined : values.reduce((all, each) => all + each, 0);
  };
  const sums = ['total_distance', 'total_calories', 'total_timer_time', 'total_ascent', 'total_strides'];
  return { sport, sub_sport, ...Object.fromEntries(sums.map((name) => [name, sum(name)])) };
}

function pointsOf(records: Message[]): Point[] {
  const points: Point[] = [];
  for (const record of records) {
    addPoint(points, {
      at: at(record['timestamp']) ?? NaN,
      heartrate: number(record['heart_rate']),
      cadence: number(record['cadence']),
      altitude: number(record['enhanced_altitude']) ?? number(record['altitude']),
      speed: number(record['enhanced_speed']) ?? number(record['speed']),
      lat: number(record['position_lat']),
      lng: number(record['position_long']),
      distance: number(record['distance']),
      power: number(record['power']),
      temperature: number(record['temperature']),
    });
  }
  return points;
}

const saidBy = (session: Message): Activity['said'] => ({
  average_hr: number(session['avg_heart_rate']),
  max_hr: number(session['max_heart_rate']),
  distance: number(session['total_distance']),
  calories: number(session['total_calories']),
  moving_time: number(session['total_timer_time']),
  total_elevation_gain: number(session['total_ascent']),
  average_speed: number(session['enhanced_avg_speed']) ?? number(session['avg_speed']),
  max_speed: number(session['enhanced_max_speed']) ?? number(session['max_speed']),
  average_watts: number(session['avg_power']),
  max_watts: number(session['max_power']),
  weighted_average_watts: number(session['normalized_power']),
  steps: stepsOf(session),
});

/** Returns the steps of a session. A stride is two steps. */
function stepsOf(session: Message): number | undefined {
  const strides = number(session['total_strides']);
  return strides === undefined ? undefined : strides * 2;
}

/** Returns the sport of a session. The sub-sport `trail` of the sport `running` becomes `trail_running`. */
function sportOfSession(session: Message): string {
  const [sport, kind] = [sportOf(text(session['sport'])), text(session['sub_sport'])];
  if (kind === '' || kind === 'generic') return sport;
  return kind.includes(sport) || sport === 'other' ? sportOf(kind) : sportOf(`${kind}_${sport}`);
}
