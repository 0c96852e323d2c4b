/** The invisible characters of Unicode, and two blank characters that Unicode lists as a letter and a symbol. */
const INVISIBLE = '\\p{Default_Ignorable_Code_Point}\\u2800';

const PLAIN = new RegExp(`^(?:(?![${INVISIBLE}])[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}])*$`, 'u');
const VISIBLE = new RegExp(`(?![${INVISIBLE}])[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}]`, 'u');
const CONTROL = /\p{Cc}/u;

/**
 * Returns true if the text has only letters, marks, digits, punctuation, symbols and spaces, of any language. Such a
 * text can appear in an HL7 message, a document or a label. It has no control characters, line or paragraph separators,
 * direction marks or zero-width characters. Those could end a segment, imitate a line, or show the text in another
 * order than the stored one.
 */
export const isPlainText = (text: string): boolean => PLAIN.test(text);

/** The most lines of a text. No note needs more, and each line takes a line on paper. */
export const MAX_LINES = 200;

/**
 * Returns lines of plain text with \n between them, whichever line ends the text has. Returns null if a line is not
 * plain text or there are too many lines.
 */
export function proseOrNull(text: string): string | null {
  const prose = text.replaceAll(/\r\n?/g, '\n');
  const lines = prose.split('\n');
  return lines.length <= MAX_LINES && lines.every(isPlainText) ? prose : null;
}

/**
 * Returns true for a valid reference that a customer chose. We compare references exactly as the customer sent them. So
 * a reference must have a visible character and no control characters.
 */
export const isReference = (text: string): boolean => !CONTROL.test(text) && VISIBLE.test(text);

/** Returns the words of a name or a search. A word is a sequence of letters and digits, without case and accents. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/**
 * Parses a URL by the WHATWG URL Standard. Returns null for any other text. We cannot use URL.canParse. In Node 20, it
 * refuses every text with a Latin-1 letter such as ü after V8 has optimised its caller.
 */
export function urlOrNull(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * Returns true if the host is a name or an IP address without characters that separate values in headers, such as `;`
 * and `,`.
 */
export const hasPlainHost = ({ hostname }: URL): boolean => /^[a-z0-9.:[\]-]+$/.test(hostname);
