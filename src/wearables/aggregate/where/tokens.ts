/** A token of a `where`. `at` is the position of its first character; the first position is 1. */
export type Token = { at: number } & (
  { kind: 'name' | 'word' | 'operator' | 'text'; text: string } | { kind: 'number'; text: string; number: number }
);

/** An error in a `where`, with the position of the character. */
export class WhereError extends Error {
  constructor(at: number, message: string) {
    super(messageAt(at, message));
  }
}

export const messageAt = (at: number, message: string): string => `At character ${at}: ${message}`;

/**
 * A sticky pattern (flag `y`) matches only where the previous token ended, so the process reads each character once.
 */
const TOKEN =
  /\s+|(?<name>[A-Za-z_]\w*(?:\.\w+)*)|(?<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|'(?<text>(?:[^']|'')*)'|(?<operator>>=|<=|!=|[><=()])/y;

const WORDS = new Set(['AND', 'OR', 'NOT', 'TRUE', 'FALSE', 'NULL']);

/** Returns the tokens of a text. Throws WhereError at the first character that belongs to no token. */
export function tokensOf(where: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let from = 0; from < where.length; from = TOKEN.lastIndex) {
    const groups = TOKEN.exec(where)?.groups;
    if (!groups) throw new WhereError(from + 1, unknownAt(where, from));
    const token = tokenOf(groups, from + 1);
    if (token) tokens.push(token);
  }
  return tokens;
}

function tokenOf({ name, number, text, operator }: Record<string, string | undefined>, at: number): Token | null {
  if (name !== undefined) {
    const word = name.toUpperCase();
    return WORDS.has(word) ? { kind: 'word', text: word, at } : { kind: 'name', text: name, at };
  }
  if (number !== undefined) {
    if (!Number.isFinite(Number(number))) throw new WhereError(at, 'The number is too large');
    return { kind: 'number', text: number, number: Number(number), at };
  }
  if (text !== undefined) return { kind: 'text', text: text.replaceAll("''", "'"), at };
  return operator === undefined ? null : { kind: 'operator', text: operator, at };
}

function unknownAt(where: string, from: number): string {
  if (where[from] === "'") return 'The text has no closing quote';
  if (where[from] === '"') return 'Texts need single quotes';
  return (
    'Only columns, numbers, quoted texts, TRUE, FALSE, NULL, AND, OR, NOT, parentheses and >, >=, <, <=, =, != are ' +
    'allowed here'
  );
}
