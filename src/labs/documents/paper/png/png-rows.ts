import { createInflate } from 'node:zlib';
import type { Png } from './read-png.ts';

/** A row of pixels. The first pixel is at x and y, and each further pixel is `dx` to the right of the one before. */
export type Row = { bytes: Uint8Array; x: number; y: number; dx: number; pixels: number };

type Pass = { x: number; y: number; dx: number; dy: number };
const WHOLE: Pass[] = [{ x: 0, y: 0, dx: 1, dy: 1 }];
/**
 * The seven passes of an interlaced picture. Such a file stores every eighth pixel first, and each further pass adds
 * pixels between those (PNG specification, 8.2).
 */
const ADAM7: Pass[] = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

/**
 * Decodes a picture row by row. It decodes only as many rows as the header states, and ignores further data. It reuses
 * the memory of a row, so the caller must copy what it needs before it takes the row after the next. After each chunk
 * of rows it lets other work run. Throws if it cannot decode the picture.
 */
export async function* rowsOf(png: Png): AsyncGenerator<Row> {
  const rows = expected(png);
  const step = Math.max(1, (png.depth * png.samples) >> 3);
  let next = rows.next();
  let [row, before] = next.done ? [Buffer.alloc(1), Buffer.alloc(1)] : buffersFor(next.value);
  let filled = 0;
  const inflate = createInflate();
  inflate.end(png.packed);
  for await (const part of inflate as AsyncIterable<Buffer>) {
    for (let at = 0; at < part.length;) {
      if (next.done) return;
      const taken = Math.min(row.length - filled, part.length - at);
      part.copy(row, filled, at, at + taken);
      at += taken;
      filled += taken;
      if (filled < row.length) break;
      unfilter(row, before, step);
      yield { ...next.value, bytes: row.subarray(1) };
      next = rows.next();
      [row, before] = next.done || !next.value.isFirst ? [before, row] : buffersFor(next.value);
      filled = 0;
    }
  }
  if (!next.done) throw new Error('The picture ends before its last row.');
}

type Expected = Omit<Row, 'bytes'> & { length: number; isFirst: boolean };

/** Returns the rows that the picture has according to its header, in the order of the data. */
function* expected({ width, height, depth, samples, isInterlaced }: Png): Generator<Expected, void> {
  for (const { x, y: first, dx, dy } of isInterlaced ? ADAM7 : WHOLE) {
    const pixels = Math.ceil((width - x) / dx);
    const length = Math.ceil((pixels * depth * samples) / 8);
    for (let y = first; y < height && pixels > 0; y += dy) yield { x, y, dx, pixels, length, isFirst: y === first };
  }
}

/**
 * Makes the buffers for a row and for the row before it. The first byte of a row names its filter, which says how the
 * row was computed from its neighbours. The row before the first one is all zeros.
 */
const buffersFor = ({ length }: Expected): [Buffer, Buffer] => [Buffer.alloc(length + 1), Buffer.alloc(length + 1)];

/**
 * Restores the bytes of a row that a filter has changed (PNG specification, 9.2). `step` is the number of bytes of a
 * pixel.
 */
function unfilter(row: Buffer, before: Buffer, step: number): void {
  const filter = row[0] as number;
  if (filter > 4) throw new Error('A row has an unknown filter.');
  if (filter === 0) return;
  for (let at = 1; at < row.length; at++) {
    const left = at > step ? (row[at - step] as number) : 0;
    const up = before[at] as number;
    const corner = at > step ? (before[at - step] as number) : 0;
    const guess = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : nearest(left, up, corner);
    row[at] = (row[at] as number) + guess;
  }
}

function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
