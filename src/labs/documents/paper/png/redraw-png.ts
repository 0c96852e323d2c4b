import { crc32, deflateSync } from 'node:zlib';
import { coloursOf } from './colours.ts';
import { readPng, type Png } from './read-png.ts';
import { rowsOf } from './png-rows.ts';

/**
 * Converts any PNG to the simplest kind: 8 bits for each colour, no transparency, not interlaced, on a white
 * background, with at most `width` by `height` pixels. Returns null if it cannot decode the bytes as a PNG. It needs
 * memory only for two rows and the result, so a large picture does not fill the memory.
 */
export async function redrawPng(bytes: Buffer, most: { width: number; height: number }): Promise<Buffer | null> {
  const png = readPng(bytes);
  if (!png) return null;
  const scale = Math.min(1, most.width / png.width, most.height / png.height);
  const width = Math.max(1, Math.round(png.width * scale));
  const height = Math.max(1, Math.round(png.height * scale));
  try {
    return writePng(await shrink(png, width, height), width, height);
  } catch {
    return null;
  }
}

/**
 * Makes the picture smaller. Each new pixel is the mean of the old pixels at its position, so a thin line stays
 * visible.
 */
async function shrink(png: Png, width: number, height: number): Promise<Uint8Array> {
  const sums = new Float64Array(width * height * 3);
  const counts = new Uint32Array(width * height);
  const colourAt = coloursOf(png);
  for await (const { bytes, x, y, dx, pixels } of rowsOf(png)) {
    const line = Math.floor((y * height) / png.height) * width;
    for (let index = 0; index < pixels; index++) {
      const cell = line + Math.floor(((x + index * dx) * width) / png.width);
      const colour = colourAt(bytes, index);
      for (let part = 0; part < 3; part++)
        sums[cell * 3 + part] = (sums[cell * 3 + part] as number) + (colour[part] as number);
      counts[cell] = (counts[cell] as number) + 1;
    }
  }
  return Uint8Array.from(sums, (sum, at) => Math.round(sum / (counts[Math.floor(at / 3)] as number)));
}

function writePng(colours: Uint8Array, width: number, height: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(colours.subarray(y * width * 3, (y + 1) * width * 3), y * (width * 3 + 1) + 1);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(content.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}
