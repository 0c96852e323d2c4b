import { inflateSync } from 'node:zlib';

const HEADER_BYTES = 12;
const ENTRY_BYTES = 16;
const WOFF_HEADER_BYTES = 44;
const WOFF_ENTRY_BYTES = 20;

type Table = { tag: number; checksum: number; content: Buffer };

/**
 * Returns the font of a WOFF 1.0 file as TrueType. From a WOFF file, fontkit would inflate the whole table of outlines
 * again for each letter.
 */
export function unpackWoff(file: Buffer): Buffer {
  const tables = tablesOf(file);
  const font: Buffer[] = [Buffer.alloc(HEADER_BYTES + tables.length * ENTRY_BYTES)];
  const head = font[0] as Buffer;
  head.writeUInt32BE(file.readUInt32BE(4), 0);
  head.writeUInt16BE(tables.length, 4);
  // The numbers for a binary search of the table, as TrueType defines them.
  const depth = Math.floor(Math.log2(tables.length));
  head.writeUInt16BE(2 ** depth * ENTRY_BYTES, 6);
  head.writeUInt16BE(depth, 8);
  head.writeUInt16BE((tables.length - 2 ** depth) * ENTRY_BYTES, 10);
  let offset = head.length;
  for (const [index, { tag, checksum, content }] of tables.entries()) {
    for (const [at, value] of [tag, checksum, offset, content.length].entries())
      head.writeUInt32BE(value, HEADER_BYTES + index * ENTRY_BYTES + at * 4);
    // Each table begins at a multiple of four bytes.
    const padding = Buffer.alloc(-content.length & 3);
    font.push(content, padding);
    offset += content.length + padding.length;
  }
  return Buffer.concat(font);
}

function tablesOf(file: Buffer): Table[] {
  if (file.toString('latin1', 0, 4) !== 'wOFF') throw new Error('This file is not a WOFF font.');
  return Array.from({ length: file.readUInt16BE(12) }, (_, index) => {
    const at = WOFF_HEADER_BYTES + index * WOFF_ENTRY_BYTES;
    const offset = file.readUInt32BE(at + 4);
    const stored = file.subarray(offset, offset + file.readUInt32BE(at + 8));
    const length = file.readUInt32BE(at + 12);
    // A table that does not become smaller is stored as it is.
    const content = stored.length < length ? inflateSync(stored) : stored;
    if (content.length !== length) throw new Error('A table of this WOFF font has another length than it says.');
    return { tag: file.readUInt32BE(at), checksum: file.readUInt32BE(at + 16), content };
  });
}
