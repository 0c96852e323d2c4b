import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive. Values beside its content are written to its headers, true or not. */
export type ArchiveEntry = {
  name: string;
  content: string | Buffer;
  crc?: number;
  uncompressedSize?: number;
  compressedSize?: number;
};

/** Packed once, because a compressor takes longer to make than a small file. */
const NOTHING = deflateRawSync('');

/** A zip archive of these files, as the phone makes it (APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16). */
export function makeArchive(entries: ArchiveEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, ...claimed } of entries) {
    const bytes = Buffer.from(content);
    const packed = bytes.length === 0 ? NOTHING : deflateRawSync(bytes);
    const label = Buffer.from(name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0); // version
    about.writeUInt16LE(8, 4); // deflated
    about.writeUInt32LE(claimed.crc ?? crc32(bytes), 10);
    about.writeUInt32LE(claimed.compressedSize ?? packed.length, 14);
    about.writeUInt32LE(claimed.uncompressedSize ?? bytes.length, 18);
    about.writeUInt16LE(label.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), about, label, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), about, rest, label]));
    files.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, central, Buffer.from('PK\x05\x06'), end]);
}
