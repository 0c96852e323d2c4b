import type { Problem } from '../errors.ts';

/** A body that was not read, with the problem that is listed beside the others. */
export class Unread {
  readonly problem: Problem;

  /** `index`: of a list of values the one that cannot be read. */
  constructor(type: string, msg: string, index?: number) {
    this.problem = { type, loc: index === undefined ? ['body'] : ['body', index], msg };
  }
}

/** Bytes that are no UTF-8 are refused: replacing them would make two different references the same. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body; undefined where it is empty. `JSON.parse` makes of a key `__proto__` a key as any other: the look at
 * bounds copies known keys only.
 */
export function parseJson(bytes: Buffer, mostValues = MOST_VALUES): unknown {
  return tooMuch(bytes, mostValues) ?? parsed(bytes);
}

/** Why a body is not even parsed; null where it may be. */
export function tooMuch(bytes: Buffer, mostValues = MOST_VALUES): Unread | null {
  if (bytes.length <= SMALL_BYTES || isModest(bytes, mostValues)) return null;
  return new Unread(
    'value_error',
    `The body may be nested ${DEEPEST} deep and have ${mostValues.toLocaleString('en')} values`,
  );
}

/** Reads what is not too much. */
export function parsed(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    return new Unread('json_invalid', 'The body is not valid JSON');
  }
}

/** Deeper than any shape of ours. */
const DEEPEST = 64;
/** `JSON.parse` makes a mebibyte of brackets into half a million lists, which takes a third of a second; of this many values, 10 ms. */
const MOST_VALUES = 20_000;
/** What holds less has too few values, and is not nested so deep that writing it again would run out of stack. */
const SMALL_BYTES = 4_096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** Whether a body is worth parsing, by its brackets and commas outside of texts: a millisecond a mebibyte. */
function isModest(bytes: Buffer, mostValues: number): boolean {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) index = endOfText(bytes, index);
    else if (byte === COMMA) values += 1;
    else if (byte === LIST || byte === OBJECT) {
      depth += 1;
      values += 1;
      if (depth > DEEPEST) return false;
    } else if (byte === LIST_END || byte === OBJECT_END) depth -= 1;
    if (values > mostValues) return false;
  }
  return true;
}

/** Where the text ends that begins here. */
function endOfText(bytes: Buffer, begin: number): number {
  let index = begin + 1;
  for (let byte = bytes[index]; byte !== undefined && byte !== QUOTE; byte = bytes[index])
    index += byte === BACKSLASH ? 2 : 1;
  return index;
}

/** Why a body is refused that is declared to be other than plain UTF-8, which JSON is (RFC 8259); null where it is not. */
export function refusalOfEncoding(headers: {
  'content-type'?: string | undefined;
  'content-encoding'?: string | undefined;
}): string | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    return `The body is encoded as ${named(encoding)}, which is not taken here: send it without a content-encoding.`;
  }
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (/^(utf-8|utf8|us-ascii)$/i.test(charset)) return null;
  return `The body is in the charset ${named(charset)}, which is not taken here: send JSON as UTF-8.`;
}

/** Encodings and charsets are short tokens; whatever else a header says is not repeated. */
const named = (token: string): string => (/^[\w.+, -]{1,40}$/.test(token) ? token : 'that the header names');
