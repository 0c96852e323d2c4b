import { crc32, deflateSync } from 'node:zlib';

export type Drawing = {
  width: number;
  height: number;
  /** The colour type of PNG: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha. */
  colour: 0 | 2 | 3 | 4 | 6;
  depth?: number;
  interlaced?: boolean;
  palette?: number[];
  clear?: number[];
  /** The samples of a pixel, each within the depth. */
  pixel: (x: number, y: number) => number[];
  /** Replaces the rows, before they are packed. */
  rows?: Buffer;
};

const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Makes a PNG whose rows use the five filters one after the other. */
export function drawPng(drawing: Drawing): Buffer {
  const { width, height, colour, depth = 8, interlaced = false, palette, clear, pixel } = drawing;
  const bits = depth * SAMPLES[colour];
  const rows: Buffer[] = [];
  for (const [x0, y0, dx, dy] of interlaced ? PASSES : ([[0, 0, 1, 1]] as const)) {
    const pixels = Math.ceil((width - x0) / dx);
    if (drawing.rows || pixels <= 0) continue;
    let before: Buffer = Buffer.alloc(Math.ceil((pixels * bits) / 8));
    for (let y = y0; y < height; y += dy) {
      const samples = Array.from({ length: pixels }, (_, index) => pixel(x0 + index * dx, y)).flat();
      const row = pack(samples, depth);
      rows.push(filter(row, before, { by: rows.length % 5, step: Math.max(1, bits >> 3) }));
      before = row;
    }
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, colour, 0, 0, interlaced ? 1 : 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const packed = deflateSync(drawing.rows ?? Buffer.concat(rows));
  const middle = Math.floor(packed.length / 2);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('tEXt', Buffer.from('Title\0Invented')),
    ...(palette ? [pngChunk('PLTE', Buffer.from(palette))] : []),
    ...(clear ? [pngChunk('tRNS', Buffer.from(clear))] : []),
    pngChunk('IDAT', packed.subarray(0, middle)),
    pngChunk('IDAT', packed.subarray(middle)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(content.length, 0);
  numbers.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)]);
}

function pack(samples: number[], depth: number): Buffer {
  if (depth === 16) return Buffer.from(samples.flatMap((sample) => [sample >> 8, sample & 255]));
  const perByte = 8 / depth;
  const bytes = Buffer.alloc(Math.ceil(samples.length / perByte));
  samples.forEach((sample, index) => {
    const at = Math.floor(index / perByte);
    bytes[at] = (bytes[at] as number) | (sample << (8 - depth * ((index % perByte) + 1)));
  });
  return bytes;
}

function filter(row: Buffer, before: Buffer, { by, step }: { by: number; step: number }): Buffer {
  const guess = (at: number): number => {
    const [a, b, c] = [row[at - step] ?? 0, before[at] as number, at < step ? 0 : (before[at - step] as number)];
    const p = a + b - c;
    const nearest = [a, b, c].toSorted((one, other) => Math.abs(p - one) - Math.abs(p - other))[0] as number;
    return [0, a, b, Math.floor((a + b) / 2), nearest][by] as number;
  };
  return Buffer.from([by, ...row.map((byte, at) => byte - guess(at))]);
}
