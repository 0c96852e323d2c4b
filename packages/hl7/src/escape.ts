/** What a message is cut by, as its MSH-1 and MSH-2 say. */
export type Delimiters = { field: string; component: string; repetition: string; escape: string; sub: string };

export const USUAL: Delimiters = { field: '|', component: '^', repetition: '~', escape: '\\', sub: '&' };

/** Everything below a space and the controls above, but for a line end within a text. */
const CONTROL = /(?!\n)\p{Cc}/gu;

const withoutControls = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(CONTROL, '');

/** Text as it stands in a message: what would cut it is escaped, a line end is `\.br\`, controls are dropped. */
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
 * The other way round. A mark that begins no sequence of the standard is text and stays, as in `and\or`, `C:\temp` and
 * the local `\Zxx\`: `unknown` is called for each, so that somebody can look.
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
    // Where it means nothing, the next mark may begin a sequence that does.
    const next = meaning === null ? at + 1 : end + 1;
    const following = text.indexOf(mark, next);
    read += (meaning ?? mark) + text.slice(next, following === -1 ? undefined : following);
    at = following;
  }
  return withoutControls(read);
}

/** What a sequence stands for (HL7 v2.5.1, 2.7); null where the standard has no such one. */
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
    // Highlighting on and off.
    case 'H':
    case 'N':
      return '';
    default:
      return sequence.startsWith('.') ? formatting(sequence) : characters(sequence);
  }
}

/** 2.7.6: commands of formatted text, of which line ends and blanks are read. */
function formatting(sequence: string): string | null {
  const [, command, number = ''] = /^\.(br|ce|sp|sk|in|ti|fi|nf) ?([+-]?\d{1,2})?$/.exec(sequence) ?? [];
  switch (command) {
    case 'br':
    case 'ce':
      return '\n';
    // Without a number it is one line, or one blank.
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

/** `Xdd…`: bytes, in UTF-8 or else in Latin-1. */
function characters(sequence: string): string | null {
  if (!/^X([0-9A-Fa-f]{2}){1,200}$/.test(sequence)) return null;
  const bytes = Buffer.from(sequence.slice(1), 'hex');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
