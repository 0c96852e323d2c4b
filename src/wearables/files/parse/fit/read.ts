import FitParser from 'fit-file-parser';
import { ImportFailure } from '../../failures.ts';
import { addPoint, putActivity, type Activity, type Point } from '../activity.ts';
import type { Sink } from '../record.ts';
import { sportOf } from '../sport.ts';

/** What the parser makes of a message: what it does not know it leaves as numbers, so nothing is taken for granted. */
type Message = Record<string, unknown>;

const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): Message[] => (Array.isArray(value) ? (value as Message[]) : []);
function at(value: unknown): number | undefined {
  const moment = value instanceof Date ? value.getTime() : Date.parse(text(value));
  return Number.isFinite(moment) ? moment : undefined;
}

/** A session a workout, each with the records of its time. Throws file_incomplete where its checksum is not that of its bytes. */
export async function parseFit(bytes: Buffer, sink: Sink): Promise<void> {
  const data = await parse(bytes);
  const id = list(data['file_ids'])[0] ?? {};
  const maker = `${text(id['manufacturer'])} ${text(id['product_name'])} ${text(id['garmin_product'])}`;
  const points = pointsOf(list(data['records']));
  const offset = offsetOf(data['activity'] as Message | undefined);
  for (const session of list(data['sessions'])) {
    const start = at(session['start_time']);
    const elapsed = number(session['total_elapsed_time']);
    const end = start !== undefined && elapsed !== undefined ? start + elapsed * 1_000 : at(session['timestamp']);
    putActivity(
      {
        maker,
        sport: sportOfSession(session),
        offset,
        start,
        end,
        said: saidBy(session),
        points: points.filter((point) => point.at >= (start ?? -Infinity) && point.at <= (end ?? Infinity)),
      },
      sink,
    );
    await sink.flush(0.5);
  }
}

/** The parser speaks of what is wrong by texts, which may quote the file. */
async function parse(bytes: Buffer): Promise<Message> {
  const parser = new FitParser({ force: false, mode: 'list', lengthUnit: 'm', speedUnit: 'm/s' });
  try {
    return (await parser.parseAsync(bytes as never)) as unknown as Message;
  } catch {
    // Bytes 4 to 7 are the length of what lies between the header and the checksum.
    const claimed = bytes.length < 12 ? Infinity : (bytes[0] as number) + bytes.readUInt32LE(4) + 2;
    throw new ImportFailure(bytes.length < claimed ? 'file_incomplete' : 'file_broken');
  }
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
});

/** `trail` of `running` is trail_running. */
function sportOfSession(session: Message): string {
  const [sport, kind] = [sportOf(text(session['sport'])), text(session['sub_sport'])];
  if (kind === '' || kind === 'generic') return sport;
  return kind.includes(sport) || sport === 'other' ? sportOf(kind) : sportOf(`${kind}_${sport}`);
}

/** The watch tells its own time beside that of the world; clocks on earth differ by quarters of an hour. */
function offsetOf(activity: Message | undefined): number | null {
  const [local, utc] = [at(activity?.['local_timestamp']), at(activity?.['timestamp'])];
  if (local === undefined || utc === undefined) return null;
  const seconds = Math.round((local - utc) / 900_000) * 900;
  return Math.abs(seconds) <= 54_000 ? seconds : null;
}
