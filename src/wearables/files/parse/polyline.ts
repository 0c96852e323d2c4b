// Encodes the route of a workout as two polylines. A polyline is a text of encoded positions. One is as exact as its
// allowed length permits. The other is rough, for small maps.
import type { Point } from './put-activity.ts';

const MOST = 65_536;
const MAX_ROUGHLY = 16_384;
/**
 * The most positions that we simplify. A polyline has no space for more, and a malicious route with a point for each
 * second of a day would take too long.
 */
const MAX_POSITIONS = 20_000;
/**
 * The tolerance of the rough polyline in degrees, about ten metres. Points that are nearer than this to a straight line
 * are left out.
 */
const ROUGHLY_DEGREES = 0.0001;
/**
 * The tolerance of the exact polyline in degrees. The format has steps of 0.00001 degrees, about a metre. This is half
 * a step.
 */
const EXACTLY_DEGREES = 0.000005;

type Position = { lat: number; lng: number };

/** Returns both polylines; undefined if fewer than two points have a position. */
export function mapOf(points: Point[]): { polyline: string; summary_polyline: string } | undefined {
  const positions = points.flatMap(({ lat, lng }) =>
    isCoordinate(lat, 90) && isCoordinate(lng, 180) ? [{ lat, lng }] : [],
  );
  if (positions.length < 2) return undefined;
  const step = Math.ceil(positions.length / MAX_POSITIONS);
  const some = positions.filter((_, n) => n % step === 0 || n === positions.length - 1);
  return {
    polyline: encoded(some, EXACTLY_DEGREES, MOST),
    summary_polyline: encoded(some, ROUGHLY_DEGREES, MAX_ROUGHLY),
  };
}

const isCoordinate = (degrees: number | undefined, most: number): degrees is number =>
  degrees !== undefined && Math.abs(degrees) <= most;

/** Simplifies the route with larger and larger tolerances, until its text is short enough. */
function encoded(positions: Position[], degrees: number, most: number): string {
  for (let tolerance = degrees; ; tolerance *= 2) {
    const text = encode(simplified(positions, tolerance));
    if (text.length <= most) return text;
  }
}

/**
 * Simplifies a route by the algorithm of Ramer, Douglas and Peucker. A recursion could overflow the stack with a long
 * route, so this uses a loop.
 */
function simplified(positions: Position[], tolerance: number): Position[] {
  const retained = new Uint8Array(positions.length);
  retained[0] = retained[positions.length - 1] = 1;
  const open: [from: number, to: number][] = [[0, positions.length - 1]];
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span;
    let [furthest, most] = [-1, tolerance];
    for (let n = from + 1; n < to; n += 1) {
      const away = distanceFrom(positions[n] as Position, positions[from] as Position, positions[to] as Position);
      if (away > most) [furthest, most] = [n, away];
    }
    if (furthest === -1) continue;
    retained[furthest] = 1;
    open.push([from, furthest], [furthest, to]);
  }
  return positions.filter((_, n) => retained[n] === 1);
}

/**
 * Returns the distance of a position from the line between `a` and `b`, in degrees. Computes as if the earth were flat,
 * which is exact enough to choose points.
 */
function distanceFrom({ lat, lng }: Position, a: Position, b: Position): number {
  const narrow = Math.cos((a.lat * Math.PI) / 180);
  const [x, y] = [(lng - a.lng) * narrow, lat - a.lat];
  const [dx, dy] = [(b.lng - a.lng) * narrow, b.lat - a.lat];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, (x * dx + y * dy) / length));
  return Math.hypot(x - along * dx, y - along * dy);
}

/**
 * Encodes the difference of each position to the previous position, in steps of 0.00001 degrees. Each character has
 * five bits.
 */
function encode(positions: Position[]): string {
  let text = '';
  let [lat, lng] = [0, 0];
  for (const position of positions) {
    const [north, east] = [Math.round(position.lat * 1e5), Math.round(position.lng * 1e5)];
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
