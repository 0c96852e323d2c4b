import type { Problem } from '../error-response.ts';

/** A body that we could not read, with the problem for the response. */
export class Unread {
  readonly problem: Problem;

  /** @param index the position of the unreadable value in its list */
  constructor(type: string, msg: string, index?: number) {
    this.problem = { type, loc: index === undefined ? ['body'] : ['body', index], msg };
  }
}

/**
 * Throws if the bytes are not UTF-8. If we replaced invalid bytes by a replacement character, two different references
 * of a customer could become equal.
 */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a body. Returns undefined if the body is empty. A key `__proto__` does no harm: `JSON.parse` makes it an
 * ordinary key, and the check of bounds copies only known keys.
 */
export function parseJson(bytes: Buffer, maxValues = MAX_VALUES): unknown {
  return tooMuch(bytes, maxValues) ?? parsed(bytes);
}

/** Returns the reason for which we do not parse a body, or null. */
export function tooMuch(bytes: Buffer, maxValues = MAX_VALUES): Unread | null {
  if (bytes.length <= SMALL_BYTES || isModest(bytes, maxValues)) return null;
  return new Unread(
    'value_error',
    `The body may be nested ${DEEPEST} levels deep and have ${maxValues.toLocaleString('en')} values`,
  );
}

/** Parses a body for which `tooMuch` returned null. */
export function parsed(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    return new Unread('json_invalid', 'The body is not valid JSON');
  }
}

/** The deepest nesting that we parse. None of our schemas is as deep. */
const DEEPEST = 64;
/**
 * The most values that we parse. `JSON.parse` takes 10 ms for this many. Without a limit, a mebibyte of brackets would
 * become half a million lists, which takes a third of a second.
 */
const MAX_VALUES = 20_000;
/**
 * We parse a smaller body without counting. It cannot have too many values, and its nesting cannot exhaust the stack
 * when we serialise it.
 */
const SMALL_BYTES = 4_096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/**
 * Returns true if a body may be parsed. It counts brackets and commas outside of strings, which takes a millisecond per
 * mebibyte.
 */
function isModest(bytes: Buffer, maxValues: number): boolean {
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
    if (values > maxValues) return false;
  }
  return true;
}

/** Returns the index of the quotation mark that closes the text. */
function endOfText(bytes: Buffer, begin: number): number {
  let index = begin + 1;
  for (let byte = bytes[index]; byte !== undefined && byte !== QUOTE; byte = bytes[index])
    index += byte === BACKSLASH ? 2 : 1;
  return index;
}

/**
 * Returns the reason for which we refuse the encoding of a body, or null. A JSON body must be UTF-8 without a content
 * coding (RFC 8259).
 */
export function refusalOfEncoding(headers: {
  'content-type'?: string | undefined;
  'content-encoding'?: string | undefined;
}): string | null {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    return (
      `The body has the content-encoding ${named(encoding)}, which is not accepted here. Send it without a ` +
      'content-encoding.'
    );
  }
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (/^(utf-8|utf8|us-ascii)$/i.test(charset)) return null;
  return `The body has the charset ${named(charset)}, which is not accepted here. Send JSON as UTF-8.`;
}

/** Names an encoding or a charset in an error text. Both are short tokens. We repeat nothing else from a header. */
const named = (token: string): string => (/^[\w.+, -]{1,40}$/.test(token) ? token : 'that the header names');
