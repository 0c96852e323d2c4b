// Parses GPX 1.1 (https://www.topografix.com/GPX/1/1/). Each track becomes a workout. We also read what devices add to
// points, for example heart rates.
import { ImportFailure } from '../failures.ts';
import { addPoint, putActivity, type Activity, type Point } from './put-activity.ts';
import type { Content } from './content.ts';
import type { Sink } from './parsed-line.ts';
import { sportOf } from './sport.ts';
import { readXml } from './xml.ts';
import { ownProperty } from '../../../wire/own-property.ts';

const FIELDS: Record<string, keyof Point> = {
  ele: 'altitude',
  hr: 'heartrate',
  cad: 'cadence',
  speed: 'speed',
  power: 'power',
  PowerInWatts: 'power',
  atemp: 'temperature',
};

export async function parseGpx(content: Content, sink: Sink): Promise<void> {
  await readTracks(content, { put: (track) => putActivity(track, sink), read: (progress) => sink.flush(progress) });
}

/** Returns the tracks of a file, for example of the route of a workout in an Apple export. */
export async function tracksOf(content: Content): Promise<Activity[]> {
  const tracks: Activity[] = [];
  await readTracks(content, { put: (track) => void tracks.push(track), read: () => Promise.resolve() });
  return tracks;
}

type Taker = { put: (track: Activity) => void; read: (progress: number) => Promise<void> };

async function readTracks(content: Content, { put, read }: Taker): Promise<void> {
  let depth = 0;
  let maker = '';
  let track: Activity | null = null;
  let point: Point | null = null;

  await readXml(content, {
    open: ({ name, attributes }) => {
      if (depth === 0) {
        if (name !== 'gpx') throw new ImportFailure('file_broken');
        maker = attributes['creator'] ?? '';
      }
      depth += 1;
      if (name === 'trk') track = { maker, sport: 'other', offset: null, said: {}, points: [] };
      if (name === 'trkpt') point = { at: NaN, lat: Number(attributes['lat']), lng: Number(attributes['lon']) };
    },
    close: (name, text) => {
      depth -= 1;
      if (point) {
        const field = ownProperty(FIELDS, name);
        if (name === 'time') point.at = Date.parse(text);
        else if (field && text !== '') point[field] = Number(text);
      } else if (track && name === 'type') track.sport = sportOf(text);
      else if (track && name === 'name') track.title = text.slice(0, 500);
      if (name === 'trkpt' && track && point) {
        addWithDistance(track.points, point);
        point = null;
      }
      if (name === 'trk' && track) {
        put(track);
        track = null;
      }
    },
    read,
  });
}

/** Adds a point with its distance from the start. GPX has only positions, so we add up the distances between them. */
function addWithDistance(points: Point[], point: Point): void {
  const before = points.at(-1);
  point.distance = before ? (before.distance ?? 0) + metresBetween(before, point) : 0;
  addPoint(points, point);
}

const EARTH_METRES = 6_371_008.8;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Returns the distance in metres. Uses the haversine formula with the mean radius of the earth. */
function metresBetween(a: Point, b: Point): number {
  const [from, to] = [radians(a.lat ?? NaN), radians(b.lat ?? NaN)];
  const east = radians((b.lng ?? NaN) - (a.lng ?? NaN));
  const h = Math.sin((to - from) / 2) ** 2 + Math.cos(from) * Math.cos(to) * Math.sin(east / 2) ** 2;
  const metres = 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(h)));
  return Number.isFinite(metres) ? metres : 0;
}
