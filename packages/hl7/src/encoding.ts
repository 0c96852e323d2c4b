import { Hl7Error, textAt, type Warnings } from './message.ts';
import { parseHeader } from './parse.ts';

/** The encodings that a caller can choose for messages without an encoding in MSH-18. */
export const CHARSETS = ['UTF-8', 'ISO-8859-1', 'ASCII'] as const;
export type Charset = (typeof CHARSETS)[number];

/**
 * The encodings by their names in HL7 table 0211, and by other names that laboratories write. We refuse any other name.
 */
const NAMES: ReadonlyMap<string, Charset> = new Map([
  ['UNICODE UTF-8', 'UTF-8'],
  ['UNICODE', 'UTF-8'],
  ['UTF-8', 'UTF-8'],
  ['UTF8', 'UTF-8'],
  ['8859/1', 'ISO-8859-1'],
  ['ISO-8859-1', 'ISO-8859-1'],
  ['ISO8859-1', 'ISO-8859-1'],
  ['WINDOWS-1252', 'ISO-8859-1'],
  ['CP1252', 'ISO-8859-1'],
  ['ASCII', 'ASCII'],
  ['ISO IR6', 'ASCII'],
]);

/**
 * The characters of windows-1252 from 0x80 to 0x9F. In Latin-1, and in `latin1` of Node, these are control characters.
 */
const OF_WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/**
 * Decodes Latin-1. Control characters from 0x80 to 0x9F become characters of windows-1252, because these are what
 * senders mean.
 */
const fromLatin1 = (bytes: Buffer): string =>
  bytes.toString('latin1').replaceAll(/[\u0080-\u009F]/g, (control) => OF_WINDOWS.charAt(control.charCodeAt(0) - 0x80));

export const NAME_IN_HEADER: Readonly<Record<Charset, string>> = {
  'UTF-8': 'UNICODE UTF-8',
  'ISO-8859-1': '8859/1',
  ASCII: 'ASCII',
};

/**
 * Decodes the bytes of a message. MSH-18 names the encoding. If it is empty, `usual`, the sender's usual encoding, is
 * used. If that is missing too, UTF-8 is tried and then Latin-1. Throws if the bytes are invalid in the named encoding.
 */
export function decode(bytes: Buffer, usual: Charset | undefined, warnings: Warnings = new Set()): string {
  const declared = textAt(parseHeader(bytes.subarray(0, 4_096).toString('latin1')) ?? undefined, 18).toUpperCase();
  const charset = declared === '' ? (usual ?? 'UTF-8') : NAMES.get(declared);
  if (!charset) throw new Hl7Error('wrong_encoding');
  if (charset === 'ISO-8859-1') return fromLatin1(bytes);
  if (charset === 'ASCII' && bytes.some((byte) => byte > 0x7f)) throw new Hl7Error('wrong_encoding');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    if (declared !== '' || usual !== undefined) throw new Hl7Error('wrong_encoding');
    warnings.add('read_as_latin_1');
    return fromLatin1(bytes);
  }
}

export const encode = (text: string, charset: Charset): Buffer =>
  Buffer.from(text, charset === 'ISO-8859-1' ? 'latin1' : 'utf8');
