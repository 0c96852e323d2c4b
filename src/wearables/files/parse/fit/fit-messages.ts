// The messages of a FIT file, the format of Garmin and other makers of devices. One file can contain several FIT files,
// one after the other ("chained"). Each has a header and a checksum.
import FitParser from 'fit-file-parser';
import { ImportFailure } from '../../failures.ts';
import { providerOf } from '../makers.ts';

/**
 * A message, as the library returns it. The library returns an unknown enum value as a number, so we check the type of
 * every value.
 */
export type Message = Record<string, unknown>;

/** The messages by their name. Messages of one name are in the order of the file. */
export type Messages = Record<string, Message[]>;

export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export function at(value: unknown): number | undefined {
  const moment = value instanceof Date ? value.getTime() : Date.parse(text(value));
  return Number.isFinite(moment) ? moment : undefined;
}

/** The most chained files in one file. A device writes several if it is switched off and on again. */
const MAX_FILES = 100;
const MIN_HEADER = 12;
const CHECKSUM = 2;
const SIGNATURE = Buffer.from('.FIT');

/**
 * Yields the messages of each chained file. Throws file_incomplete if the bytes end within a file, and file_broken if a
 * checksum is wrong. Ignores bytes after the last file.
 */
export async function* filesOf(bytes: Buffer): AsyncGenerator<Messages, void, undefined> {
  let [from, count] = [0, 0];
  while (from < bytes.length) {
    const rest = bytes.subarray(from);
    if (from > 0 && !rest.subarray(8, 12).equals(SIGNATURE)) return;
    if (rest.length < MIN_HEADER) throw new ImportFailure('file_incomplete');
    // Bytes 4 to 7 are the length of the data between the header and the checksum.
    const length = (rest[0] as number) + rest.readUInt32LE(4) + CHECKSUM;
    if (rest.length < length) throw new ImportFailure('file_incomplete');
    if ((count += 1) > MAX_FILES) throw new ImportFailure('too_complex');
    yield await read(rest.subarray(0, length));
    from += length;
  }
}

/** Reads the messages. The error texts of the library may quote the file, so we replace them. */
async function read(bytes: Buffer): Promise<Messages> {
  const parser = new FitParser({ force: false, mode: 'list', lengthUnit: 'm', speedUnit: 'm/s' });
  try {
    return ((await parser.parseAsync(bytes as never)) as { messages?: Messages }).messages ?? {};
  } catch {
    throw new ImportFailure('file_broken');
  }
}

/** Returns the device or program that made the file, and its provider. */
export function makerOf({ file_id: [id = {}] = [] }: Messages) {
  const maker = `${text(id['manufacturer'])} ${text(id['product_name'])} ${text(id['garmin_product'])}`;
  return { maker, provider: providerOf(maker) };
}

/**
 * Returns the offset from UTC, as the difference of the local time and the UTC time in one message. It is rounded to a
 * quarter of an hour, because offsets of time zones are multiples of that.
 */
export function offsetOf(message: Message | undefined): number | null {
  const [local, utc] = [at(message?.['local_timestamp']), at(message?.['timestamp'])];
  if (local === undefined || utc === undefined) return null;
  const seconds = Math.round((local - utc) / 900_000) * 900;
  return Math.abs(seconds) <= 54_000 ? seconds : null;
}
