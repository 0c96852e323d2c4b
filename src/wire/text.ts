/** Unicode's invisible characters, with the two blanks that it counts as a letter and a symbol. */
const INVISIBLE = '\\p{Default_Ignorable_Code_Point}\\u2800';

const PLAIN = new RegExp(`^(?:(?![${INVISIBLE}])[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}])*$`, 'u');
const VISIBLE = new RegExp(`(?![${INVISIBLE}])[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}]`, 'u');
const CONTROL = /\p{Cc}/u;

/**
 * Letters, marks, digits, punctuation, symbols and spaces of any language: what may reach an HL7 message, a document
 * or a label. No controls, line or paragraph separators, writing directions or zero-width characters: they would end a
 * segment, forge a line or show another order than what is stored.
 */
export const isPlainText = (text: string): boolean => PLAIN.test(text);

/** More lines than any note needs: each is a line of paper. */
export const MOST_LINES = 200;

/** Lines of such text, ended by \n whatever ended them; null where a line is none, or there are too many. */
export function proseOrNull(text: string): string | null {
  const prose = text.replaceAll(/\r\n?/g, '\n');
  const lines = prose.split('\n');
  return lines.length <= MOST_LINES && lines.every(isPlainText) ? prose : null;
}

/** A customer's own reference: compared as it is sent, so that it needs something to see and no control characters. */
export const isReference = (text: string): boolean => !CONTROL.test(text) && VISIBLE.test(text);

/** The words of a name or a search: runs of letters and digits, without case and accents. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/**
 * The address that a text is, by the WHATWG URL Standard; null where it is none. URL.canParse is no answer: in Node 20,
 * once V8 has optimised its caller, it refuses every text with a letter of Latin-1 such as ü.
 */
export function urlOrNull(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Whether a host is a name or an IP address without signs that mean something elsewhere, as `;` and `,` do in headers. */
export const hasPlainHost = ({ hostname }: URL): boolean => /^[a-z0-9.:[\]-]+$/.test(hostname);
