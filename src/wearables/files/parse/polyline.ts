// Where a workout was, as encoded polylines: whole as far as there is room, and roughly.
import type { Point } from './activity.ts';

const MOST = 65_536;
const MOST_ROUGHLY = 16_384;
/** More than there is room for; choosing among all points of a day would take long on a way made to be hard. */
const MOST_PLACES = 20_000;
/** Of the rough one: what lies nearer to a straight line is left out, about ten metres. */
const ROUGHLY_DEGREES = 0.0001;
/** A hundred-thousandth of a degree is about a metre, which is as exact as the format is. */
const EXACTLY_DEGREES = 0.000005;

type Place = { lat: number; lng: number };

/** Undefined where fewer than two points have a place. */
export function mapOf(points: Point[]): { polyline: string; summary_polyline: string } | undefined {
  const places = points.flatMap(({ lat, lng }) => (isPlace(lat, 90) && isPlace(lng, 180) ? [{ lat, lng }] : []));
  if (places.length < 2) return undefined;
  const step = Math.ceil(places.length / MOST_PLACES);
  const some = places.filter((_, n) => n % step === 0 || n === places.length - 1);
  return {
    polyline: encoded(some, EXACTLY_DEGREES, MOST),
    summary_polyline: encoded(some, ROUGHLY_DEGREES, MOST_ROUGHLY),
  };
}

const isPlace = (degrees: number | undefined, most: number): degrees is number =>
  degrees !== undefined && Math.abs(degrees) <= most;

/** The more it leaves out, the shorter it is: until there is room for it. */
function encoded(places: Place[], degrees: number, most: number): string {
  for (let tolerance = degrees; ; tolerance *= 2) {
    const text = encode(simplified(places, tolerance));
    if (text.length <= most) return text;
  }
}

/** By Ramer, Douglas and Peucker; without recursion, which a long way would exhaust. */
function simplified(places: Place[], tolerance: number): Place[] {
  const kept = new Uint8Array(places.length);
  kept[0] = kept[places.length - 1] = 1;
  const open: [from: number, to: number][] = [[0, places.length - 1]];
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span;
    let [furthest, most] = [-1, tolerance];
    for (let n = from + 1; n < to; n += 1) {
      const away = distanceFrom(places[n] as Place, places[from] as Place, places[to] as Place);
      if (away > most) [furthest, most] = [n, away];
    }
    if (furthest === -1) continue;
    kept[furthest] = 1;
    open.push([from, furthest], [furthest, to]);
  }
  return places.filter((_, n) => kept[n] === 1);
}

/** In degrees, as if the earth were flat: near enough to choose what can be left out. */
function distanceFrom({ lat, lng }: Place, a: Place, b: Place): number {
  const narrow = Math.cos((a.lat * Math.PI) / 180);
  const [x, y] = [(lng - a.lng) * narrow, lat - a.lat];
  const [dx, dy] = [(b.lng - a.lng) * narrow, b.lat - a.lat];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, (x * dx + y * dy) / length));
  return Math.hypot(x - along * dx, y - along * dy);
}

/** Differences in hundred-thousandths of a degree, five bits a character. */
function encode(places: Place[]): string {
  let text = '';
  let [lat, lng] = [0, 0];
  for (const place of places) {
    const [north, east] = [Math.round(place.lat * 1e5), Math.round(place.lng * 1e5)];
    text += signed(north - lat) + signed(east - lng);
    [lat, lng] = [north, east];
  }
  return text;
}

function signed(value: number): string {
  let bits = value < 0 ? ~(value << 1) : value << 1;
  let text = '';
  for (; bits >= 0x20; bits >>= 5) text += String.fromCharCode((0x20 | (bits & 0x1f)) + 63);
  return text + String.fromCharCode(bits + 63);
}
