/** The delimiters of a message, from its MSH-1 and MSH-2. */
export type Delimiters = { field: string; component: string; repetition: string; escape: string; sub: string };

export const USUAL: Delimiters = { field: '|', component: '^', repetition: '~', escape: '\\', sub: '&' };

/** All control characters, except the line feed, which may be part of a text. */
const CONTROL = /(?!\n)\p{Cc}/gu;

const withoutControls = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(CONTROL, '');

/** Writes a text for a message. Escapes delimiters, writes a line end as `\.br\`, and removes control characters. */
export function escape(text: string, { field, component, repetition, escape: mark, sub }: Delimiters): string {
  const sequences: Record<string, string> = {
    [field]: 'F',
    [component]: 'S',
    [repetition]: 'R',
    [mark]: 'E',
    [sub]: 'T',
    '\n': '.br',
  };
  let written = '';
  for (const letter of withoutControls(text)) {
    const sequence = sequences[letter];
    written += sequence === undefined ? letter : `${mark}${sequence}${mark}`;
  }
  return written;
}

/**
 * Reads a text of a message. An escape character that begins no sequence of the standard stays in the text, as in
 * `and\or`, `C:\temp` and a laboratory's own `\Zxx\`. Then `unknown` is called, so that the caller can warn.
 */
export function unescape(text: string, delimiters: Delimiters, unknown: () => void = () => undefined): string {
  const { escape: mark } = delimiters;
  let at = text.indexOf(mark);
  if (at === -1) return withoutControls(text);
  let read = text.slice(0, at);
  while (at !== -1) {
    const end = text.indexOf(mark, at + 1);
    const meaning = end === -1 ? null : meaningOf(text.slice(at + 1, end), delimiters);
    if (meaning === null) unknown();
    // The text between these two escape characters is no sequence, but the second one may begin a sequence.
    const next = meaning === null ? at + 1 : end + 1;
    const following = text.indexOf(mark, next);
    read += (meaning ?? mark) + text.slice(next, following === -1 ? undefined : following);
    at = following;
  }
  return withoutControls(read);
}

/** Returns the text that a sequence stands for (HL7 v2.5.1, 2.7); null if the standard does not define the sequence. */
function meaningOf(sequence: string, { field, component, repetition, escape: mark, sub }: Delimiters): string | null {
  switch (sequence) {
    case 'F':
      return field;
    case 'S':
      return component;
    case 'T':
      return sub;
    case 'R':
      return repetition;
    case 'E':
      return mark;
    // The begin (H) and end (N) of highlighted text. Both become nothing.
    case 'H':
    case 'N':
      return '';
    default:
      return sequence.startsWith('.') ? formatting(sequence) : characters(sequence);
  }
}

/** Returns the text of a command of formatted text (2.7.6): line ends and blanks. All other commands become nothing. */
function formatting(sequence: string): string | null {
  const [, command, number = ''] = /^\.(br|ce|sp|sk|in|ti|fi|nf) ?([+-]?\d{1,2})?$/.exec(sequence) ?? [];
  switch (command) {
    case 'br':
    case 'ce':
      return '\n';
    // A command without a number means one line or one blank.
    case 'sp':
      return '\n'.repeat(Math.max(Number(number || 1), 1));
    case 'sk':
      return ' '.repeat(Math.max(Number(number || 1), 1));
    case undefined:
      return null;
    default:
      return '';
  }
}

/** Decodes the bytes of `Xdd…`: as UTF-8 if they are valid UTF-8, else as Latin-1. */
function characters(sequence: string): string | null {
  if (!/^X([0-9A-Fa-f]{2}){1,200}$/.test(sequence)) return null;
  const bytes = Buffer.from(sequence.slice(1), 'hex');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
