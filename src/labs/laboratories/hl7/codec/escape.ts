import { Hl7Error } from './message.ts';

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

/** The other way round. Throws where an escape does not end, or is none that is known: guessed text could be a value. */
export function unescape(text: string, delimiters: Delimiters): string {
  const { escape: mark } = delimiters;
  if (!text.includes(mark)) return withoutControls(text);
  const parts = text.split(mark);
  if (parts.length % 2 === 0) throw new Hl7Error('bad_escape');
  return withoutControls(parts.map((part, at) => (at % 2 === 0 ? part : meaningOf(part, delimiters))).join(''));
}

function meaningOf(sequence: string, { field, component, repetition, escape: mark, sub }: Delimiters): string {
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
    case '.br':
    case '.ce':
      return '\n';
    default:
      break;
  }
  if (/^\.sp[+]?\d{0,2}$/.test(sequence)) return '\n';
  if (/^\.(in|ti)[+-]?\d{1,2}$|^\.(fi|nf)$/.test(sequence)) return '';
  if (/^X([0-9A-Fa-f]{2}){1,200}$/.test(sequence)) return fromHex(sequence.slice(1));
  throw new Hl7Error('bad_escape');
}

function fromHex(digits: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(digits, 'hex'));
  } catch {
    throw new Hl7Error('bad_escape');
  }
}
