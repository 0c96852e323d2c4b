// What text may reach an HL7 message, a document or a label: the one allow-list, isPlainText, applied to what is sent out.
import { isPlainText } from './text.ts';
import { ownOf } from './own.ts';

/**
 * The text with what may not be printed taken out: controls, line ends, writing directions and zero-width characters
 * would end a segment, forge a line or show another name than the one that is stored. Blanks of any kind that end a line
 * become a space, so that two words stay two. Composed, since a lone mark is drawn wrong by many programs.
 */
export const printable = (text: string): string =>
  [...text.normalize('NFC').replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')].filter(isPlainText).join('').trim();

/** Letters that are no other letter with a mark, as they are written where only ASCII is taken. */
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
 * The same for whoever takes ASCII alone: marks are dropped, some letters spelled out, and what is left becomes `?`, so
 * that a name never looks whole that is not.
 */
export const printableAscii = (text: string): string =>
  [...printable(text).normalize('NFKD').replaceAll(/\p{M}/gu, '')]
    .map((letter) => ownOf(SPELLED, letter) ?? (letter <= '~' ? letter : '?'))
    .join('');
