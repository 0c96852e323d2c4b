// Filters text for an HL7 message, a document or a label. It allows the same characters as isPlainText, with which we
// validate input.
import { isPlainText } from './text.ts';
import { ownProperty } from './own-property.ts';

/**
 * Returns the text without characters that must not be printed. Control characters, line ends, direction marks and
 * zero-width characters could end a segment, imitate a line, or show another name than the stored one. Characters that
 * end a line become a space, so that two words stay separate. Many programs draw separate accents incorrectly, so the
 * result is in composed form (NFC).
 */
export const printable = (text: string): string =>
  [...text.normalize('NFC').replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')].filter(isPlainText).join('').trim();

/** ASCII spellings of letters that are not an ASCII letter with an accent, such as ß. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
  ħ: 'h',
  Ħ: 'H',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  µ: 'u',
  μ: 'u',
  '≤': '<=',
  '≥': '>=',
};

/**
 * Like `printable`, for ASCII output. It removes accents and spells out some letters. All other characters become `?`,
 * because a name without them would look complete.
 */
export const printableAscii = (text: string): string =>
  [...printable(text).normalize('NFKD').replaceAll(/\p{M}/gu, '')]
    .map((letter) => ownProperty(SPELLED, letter) ?? (letter <= '~' ? letter : '?'))
    .join('');
