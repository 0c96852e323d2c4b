// Detects the type of an image from its bytes, because a sender may state a wrong type. It reads only the header, and
// decompresses nothing.

type ImageType = 'image/png' | 'image/jpeg';
export type ImageHeader = { content_type: ImageType; width: number; height: number };

/** The most pixels of an image in a JSON body. A program that draws the image needs four bytes per pixel. */
export const MAX_PIXELS = 16_000_000;
/**
 * The longest side of an image in pixels. No card, signature or page is as long. A longer side means that somebody made
 * the file to break programs.
 */
export const LONGEST_SIDE = 20_000;

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const IHDR = Buffer.from('IHDR');
/**
 * The most segments that we read before the frame of a JPEG. Colour profiles and thumbnails are divided into segments
 * of at most 64 KiB.
 */
const MAX_SEGMENTS = 200;

/** Reads the header of an image. Returns null if the bytes are neither PNG nor JPEG, or if they end too early. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  return pngHeader(bytes) ?? jpegHeader(bytes);
}

/** Returns true if we accept an image of this size. */
export const isWithin = ({ width, height }: ImageHeader, pixels: number): boolean =>
  width <= LONGEST_SIDE && height <= LONGEST_SIDE && width * height <= pixels;

/** Reads the header of a PNG, which is its first chunk (PNG specification 11.2.1). */
function pngHeader(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(PNG)) return null;
  if (bytes.readUInt32BE(8) !== 13 || !bytes.subarray(12, 16).equals(IHDR)) return null;
  return sized('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20));
}

/**
 * Finds the frame header of a JPEG, which comes after other segments. Each segment contains its length (ITU T.81
 * B.1.1).
 */
function jpegHeader(bytes: Buffer): ImageHeader | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  for (let n = 0; n < MAX_SEGMENTS && at + 9 <= bytes.length; n += 1) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] as number;
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return sized('image/jpeg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    // Here the pixels begin, or the image ends, without a frame header before them.
    else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) return null;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

/**
 * Returns true for the marker of a frame (the part of a JPEG with the size). The markers C0 to CF are frames, except
 * tables (C4, CC) and a reserved code (C8).
 */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const sized = (content_type: ImageType, width: number, height: number): ImageHeader | null =>
  width > 0 && height > 0 ? { content_type, width, height } : null;
