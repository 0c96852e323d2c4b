// Images are known by their own bytes: what a sender calls them says nothing. Nothing is unpacked here, only the header read.

type ImageType = 'image/png' | 'image/jpeg';
export type ImageHeader = { content_type: ImageType; width: number; height: number };

/** Of an image in a JSON body; whoever draws one unpacks four bytes a pixel. */
export const MOST_PIXELS = 16_000_000;
/** No card, signature or page is as long; longer sides belong to what is made to break a reader. */
export const LONGEST_SIDE = 20_000;

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const IHDR = Buffer.from('IHDR');
/** Segments before a JPEG's frame: colour profiles and thumbnails come in pieces of at most 64 KiB each. */
const MOST_SEGMENTS = 200;

/** What an image's header tells; null where the bytes are neither PNG nor JPEG, or end before it does. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  return pngHeader(bytes) ?? jpegHeader(bytes);
}

/** Whether an image of this size is taken. */
export const isWithin = ({ width, height }: ImageHeader, pixels: number): boolean =>
  width <= LONGEST_SIDE && height <= LONGEST_SIDE && width * height <= pixels;

/** The first chunk of a PNG is its header (PNG specification 11.2.1). */
function pngHeader(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(PNG)) return null;
  if (bytes.readUInt32BE(8) !== 13 || !bytes.subarray(12, 16).equals(IHDR)) return null;
  return sized('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

/** The frame header of a JPEG comes after other segments, each of which tells its length (ITU T.81 B.1.1). */
function jpegHeader(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  for (let n = 0; n < MOST_SEGMENTS && at + 9 <= bytes.length; n += 1) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return sized('image/jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    // The picture itself, or its end, before a frame.
    else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) return null;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

/** C0 to CF are frames but for tables (C4, CC) and what is reserved (C8). */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const sized = (content_type: ImageType, width: number, height: number): ImageHeader | null =>
  width > 0 && height > 0 ? { content_type, width, height } : null;
