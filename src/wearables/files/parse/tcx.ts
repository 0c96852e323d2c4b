// TCX (Garmin's Training Center Database v2): activities of laps of track points.
import { ImportFailure } from '../failures.ts';
import { addPoint, putActivity, type Activity, type Point } from './activity.ts';
import type { Content } from './content.ts';
import type { Sink } from './record.ts';
import { sportOf } from './sport.ts';
import { readXml } from './xml.ts';
import { ownOf } from '../../../wire/own.ts';

/** By the last two elements of their path. */
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
      const place = `${path.at(-2)}/${name}`;
      path.pop();
      const lap = laps.at(-1);
      const [ofPoint, ofLap] = [ownOf(OF_POINT, place), ownOf(OF_LAP, place)];
      if (point) {
        if (name === 'Time') point.at = Date.parse(text);
        else if (ofPoint && text !== '') point[ofPoint] = Number(text);
      } else if (lap && ofLap) lap[ofLap] = Number(text);
      else if (activity && place === 'Creator/Name') activity.maker = text;
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

/** What the laps say together. */
function sumOf({ start, points }: Activity, laps: Partial<Lap>[]): Pick<Activity, 'said' | 'end'> {
  const told = (name: keyof Lap): number[] => laps.flatMap((lap) => (Number.isFinite(lap[name]) ? lap[name]! : []));
  const sum = (name: keyof Lap): number | undefined =>
    told(name).length === 0 ? undefined : told(name).reduce((all, each) => all + each, 0);
  const most = (name: keyof Lap): number | undefined => (told(name).length === 0 ? undefined : Math.max(...told(name)));
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
      // Of laps of unequal length the mean would be another: it is that of the points then.
      average_hr: laps.length === 1 ? laps[0]?.heart : undefined,
    },
  };
}
