import { crc32 } from 'node:zlib';
import { isWithin, MAX_PIXELS, readImageHeader } from '../../../../wire/image/image-header.ts';

/** The header and the other chunks of a PNG that describe its picture. The picture itself is still compressed. */
export type Png = {
  width: number;
  height: number;
  /** The number of bits of a sample. */
  depth: number;
  /** The number of samples of a pixel. */
  samples: number;
  kind: Kind;
  isInterlaced: boolean;
  /** Three bytes for each colour, if the pixels are indexes of colours; otherwise null. */
  palette: Buffer | null;
  /**
   * The transparent colours of a picture without an alpha channel. If the picture has a palette, this has one byte for
   * each colour of the palette. Otherwise it has the samples of one colour.
   */
  clear: Buffer | null;
  packed: Buffer;
};
type Kind = 'grey' | 'rgb' | 'palette' | 'grey_alpha' | 'rgb_alpha';

/** The kinds of pixels by the PNG colour type (PNG specification, 11.2.1). */
const KINDS: Record<number, { kind: Kind; samples: number; depths: number[] }> = {
  0: { kind: 'grey', samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { kind: 'rgb', samples: 3, depths: [8, 16] },
  3: { kind: 'palette', samples: 1, depths: [1, 2, 4, 8] },
  4: { kind: 'grey_alpha', samples: 2, depths: [8, 16] },
  6: { kind: 'rgb_alpha', samples: 4, depths: [8, 16] },
};
const MAX_CHUNKS = 10_000;

/**
 * Reads the chunks of a PNG that define its picture. Returns null if one is missing, broken or violates the
 * specification.
 */
export function readPng(bytes: Buffer): Png | null {
  const header = readImageHeader(bytes);
  if (header?.content_type !== 'image/png' || !isWithin(header, MAX_PIXELS)) return null;
  const { width, height } = header;
  const [depth, colours, packing, filtering, interlacing] = bytes.subarray(24, 29);
  const kind = KINDS[colours as number];
  if (!kind?.depths.includes(depth as number) || packing !== 0 || filtering !== 0 || (interlacing as number) > 1)
    return null;
  const chunks = readChunks(bytes);
  const packed = chunks?.get('IDAT');
  if (!chunks || !packed || !chunks.has('IEND')) return null;
  const palette = kind.kind === 'palette' ? chunks.get('PLTE')?.[0] : null;
  if (palette === undefined || (palette && (palette.length === 0 || palette.length % 3 !== 0))) return null;
  const clear = chunks.get('tRNS')?.[0] ?? null;
  const needed = { grey: 2, rgb: 6 }[kind.kind as string] ?? 0;
  if (clear && clear.length < needed) return null;
  return {
    width,
    height,
    depth: depth as number,
    samples: kind.samples,
    kind: kind.kind,
    isInterlaced: interlacing === 1,
    palette,
    clear,
    packed: Buffer.concat(packed),
  };
}

/** Returns the contents of the chunks by name; null if a chunk is cut off or has a wrong checksum. */
function readChunks(bytes: Buffer): Map<string, Buffer[]> | null {
  const chunks = new Map<string, Buffer[]>();
  let at = 8;
  for (let count = 0; count < MAX_CHUNKS && at + 12 <= bytes.length; count++) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return null;
    const name = bytes.toString('latin1', at + 4, at + 8);
    const same = chunks.get(name);
    if (same) same.push(bytes.subarray(at + 8, end));
    else chunks.set(name, [bytes.subarray(at + 8, end)]);
    if (name === 'IEND') return chunks;
    at = end + 4;
  }
  return null;
}
