// Parses TCX (Garmin's Training Center Database v2): a file has activities, an activity has laps, and a lap has track
// points.
import { ImportFailure } from '../failures.ts';
import { addPoint, putActivity, type Activity, type Point } from './put-activity.ts';
import type { Content } from './content.ts';
import type { Sink } from './parsed-line.ts';
import { sportOf } from './sport.ts';
import { readXml } from './xml.ts';
import { ownProperty } from '../../../wire/own-property.ts';

/** The fields of a point, by the last two names of their path. */
const OF_POINT: Record<string, keyof Point> = {
  'Position/LatitudeDegrees': 'lat',
  'Position/LongitudeDegrees': 'lng',
  'Trackpoint/AltitudeMeters': 'altitude',
  'Trackpoint/DistanceMeters': 'distance',
  'HeartRateBpm/Value': 'heartrate',
  'Trackpoint/Cadence': 'cadence',
  'TPX/RunCadence': 'cadence',
  'TPX/Speed': 'speed',
  'TPX/Watts': 'power',
};

type Lap = { seconds: number; distance: number; calories: number; heart: number; maxHeart: number; maxSpeed: number };
const OF_LAP: Record<string, keyof Lap> = {
  'Lap/TotalTimeSeconds': 'seconds',
  'Lap/DistanceMeters': 'distance',
  'Lap/Calories': 'calories',
  'AverageHeartRateBpm/Value': 'heart',
  'MaximumHeartRateBpm/Value': 'maxHeart',
  'Lap/MaximumSpeed': 'maxSpeed',
};

export async function parseTcx(content: Content, sink: Sink): Promise<void> {
  const path: string[] = [];
  let activity: Activity | null = null;
  let laps: Partial<Lap>[] = [];
  let point: Point | null = null;

  await readXml(content, {
    open: ({ name, attributes }) => {
      if (path.length === 0 && name !== 'TrainingCenterDatabase') throw new ImportFailure('file_broken');
      path.push(name);
      if (name === 'Activity') {
        activity = { maker: '', sport: sportOf(attributes['Sport']), offset: null, said: {}, points: [] };
        laps = [];
      }
      if (name === 'Lap') {
        laps.push({});
        const start = Date.parse(attributes['StartTime'] ?? '');
        if (activity && laps.length === 1 && Number.isFinite(start)) activity.start = start;
      }
      if (name === 'Trackpoint') point = { at: NaN };
    },
    close: (name, text) => {
      const element = `${path.at(-2)}/${name}`;
      path.pop();
      const lap = laps.at(-1);
      const [ofPoint, ofLap] = [ownProperty(OF_POINT, element), ownProperty(OF_LAP, element)];
      if (point) {
        if (name === 'Time') point.at = Date.parse(text);
        else if (ofPoint && text !== '') point[ofPoint] = Number(text);
      } else if (lap && ofLap) lap[ofLap] = Number(text);
      else if (activity && element === 'Creator/Name') activity.maker = text;
      if (name === 'Trackpoint' && point) {
        if (activity) addPoint(activity.points, point);
        point = null;
      }
      if (name === 'Activity' && activity) {
        putActivity({ ...activity, ...sumOf(activity, laps) }, sink);
        [activity, laps] = [null, []];
      }
    },
    read: (progress) => sink.flush(progress),
  });
}

/** Returns the totals of all laps. */
function sumOf({ start, points }: Activity, laps: Partial<Lap>[]): Pick<Activity, 'said' | 'end'> {
  const valuesOf = (name: keyof Lap): number[] => laps.flatMap((lap) => (Number.isFinite(lap[name]) ? lap[name]! : []));
  const sum = (name: keyof Lap): number | undefined =>
    valuesOf(name).length === 0 ? undefined : valuesOf(name).reduce((all, each) => all + each, 0);
  const most = (name: keyof Lap): number | undefined =>
    valuesOf(name).length === 0 ? undefined : Math.max(...valuesOf(name));
  const seconds = sum('seconds');
  const distance = sum('distance');
  const last = points.at(-1)?.at;
  return {
    ...(last === undefined && start !== undefined && seconds !== undefined ? { end: start + seconds * 1_000 } : {}),
    said: {
      distance,
      calories: sum('calories'),
      moving_time: seconds,
      max_hr: most('maxHeart'),
      max_speed: most('maxSpeed'),
      average_speed: distance !== undefined && seconds ? distance / seconds : undefined,
      // The mean of several laps depends on their lengths. So we state none, and it is computed from the points.
      average_hr: laps.length === 1 ? laps[0]?.heart : undefined,
    },
  };
}
