// A FIT file as its messages. Several files may stand in one after another ("chained"), each with a header and a checksum of its own.
import FitParser from 'fit-file-parser';
import { ImportFailure } from '../../failures.ts';
import { providerOf } from '../makers.ts';

/** What the library makes of a message: what it does not know it leaves as numbers, so nothing is taken for granted. */
export type Message = Record<string, unknown>;

/** By the name of their message, in the order in which they were written. */
export type Messages = Record<string, Message[]>;

export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export function at(value: unknown): number | undefined {
  const moment = value instanceof Date ? value.getTime() : Date.parse(text(value));
  return Number.isFinite(moment) ? moment : undefined;
}

/** A device that was switched off and on again writes a few. */
const MOST_FILES = 100;
const LEAST_HEADER = 12;
const CHECKSUM = 2;
const SIGNATURE = Buffer.from('.FIT');

/**
 * The files that stand in one, each read by itself. Throws file_incomplete where the bytes end before a file does, and file_broken where
 * a checksum is not that of its bytes. What stands behind the last one is left alone.
 */
export async function* filesOf(bytes: Buffer): AsyncGenerator<Messages, void, undefined> {
  let [from, count] = [0, 0];
  while (from < bytes.length) {
    const rest = bytes.subarray(from);
    if (from > 0 && !rest.subarray(8, 12).equals(SIGNATURE)) return;
    if (rest.length < LEAST_HEADER) throw new ImportFailure('file_incomplete');
    // Bytes 4 to 7 are the length of what lies between the header and the checksum.
    const length = (rest[0] as number) + rest.readUInt32LE(4) + CHECKSUM;
    if (rest.length < length) throw new ImportFailure('file_incomplete');
    if ((count += 1) > MOST_FILES) throw new ImportFailure('too_complex');
    yield await read(rest.subarray(0, length));
    from += length;
  }
}

/** The library speaks of what is wrong by texts, which may quote the file. */
async function read(bytes: Buffer): Promise<Messages> {
  const parser = new FitParser({ force: false, mode: 'list', lengthUnit: 'm', speedUnit: 'm/s' });
  try {
    return ((await parser.parseAsync(bytes as never)) as { messages?: Messages }).messages ?? {};
  } catch {
    throw new ImportFailure('file_broken');
  }
}

/** What made the file, and the provider whose device or program that is. */
export function makerOf({ file_id: [id = {}] = [] }: Messages) {
  const maker = `${text(id['manufacturer'])} ${text(id['product_name'])} ${text(id['garmin_product'])}`;
  return { maker, provider: providerOf(maker) };
}

/** The device tells its own time beside that of the world; clocks on earth differ by quarters of an hour. */
export function offsetOf(message: Message | undefined): number | null {
  const [local, utc] = [at(message?.['local_timestamp']), at(message?.['timestamp'])];
  if (local === undefined || utc === undefined) return null;
  const seconds = Math.round((local - utc) / 900_000) * 900;
  return Math.abs(seconds) <= 54_000 ? seconds : null;
}
