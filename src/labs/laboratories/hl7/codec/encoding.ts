import { Hl7Error, textAt } from './message.ts';
import { parseHeader } from './parse.ts';

/** How the bytes of a message are read and written where it does not say so itself (MSH-18). */
export const CHARSETS = ['UTF-8', 'ISO-8859-1', 'ASCII'] as const;
export type Charset = (typeof CHARSETS)[number];

/** HL7 table 0211, as far as it is spoken here. */
const NAMES: Readonly<Record<string, Charset>> = {
  'UNICODE UTF-8': 'UTF-8',
  'UTF-8': 'UTF-8',
  UTF8: 'UTF-8',
  '8859/1': 'ISO-8859-1',
  'ISO-8859-1': 'ISO-8859-1',
  ASCII: 'ASCII',
};

export const NAME_IN_HEADER: Readonly<Record<Charset, string>> = {
  'UTF-8': 'UNICODE UTF-8',
  'ISO-8859-1': '8859/1',
  ASCII: 'ASCII',
};

/** The text of a message's bytes; throws where they are not in the encoding that the message, or else its sender, has. */
export function decode(bytes: Buffer, usual: Charset): string {
  const declared = textAt(parseHeader(bytes.subarray(0, 4_096).toString('latin1')) ?? undefined, 18).toUpperCase();
  const charset = declared === '' ? usual : NAMES[declared];
  if (!charset) throw new Hl7Error('wrong_encoding');
  if (charset === 'ISO-8859-1') return bytes.toString('latin1');
  if (charset === 'ASCII' && bytes.some((byte) => byte > 0x7f)) throw new Hl7Error('wrong_encoding');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Hl7Error('wrong_encoding');
  }
}

export const encode = (text: string, charset: Charset): Buffer =>
  Buffer.from(text, charset === 'ISO-8859-1' ? 'latin1' : 'utf8');
