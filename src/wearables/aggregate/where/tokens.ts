/** A piece of a `where`, and at which character it begins, counted from 1. */
export type Token = { at: number } & (
  { kind: 'name' | 'word' | 'operator' | 'text'; text: string } | { kind: 'number'; text: string; number: number }
);

/** What is wrong with a `where`, and where. */
export class WhereError extends Error {
  constructor(at: number, message: string) {
    super(toldAt(at, message));
  }
}

/** Something of a `where`, with its place. */
export const toldAt = (at: number, message: string): string => `At character ${at}: ${message}`;

/** One of them stands where the one before it ended: nothing is looked at twice. */
const TOKEN =
  /\s+|(?<name>[A-Za-z_]\w*(?:\.\w+)*)|(?<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|'(?<text>(?:[^']|'')*)'|(?<operator>>=|<=|!=|[><=()])/y;

const WORDS = new Set(['AND', 'OR', 'NOT', 'TRUE', 'FALSE', 'NULL']);

/** The pieces of a text. Throws WhereError at the first character that belongs to none. */
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
  if (where[from] === '"') return 'Texts stand in single quotes';
  return 'Only columns, numbers, quoted texts, TRUE, FALSE, NULL, AND, OR, NOT, parentheses and >, >=, <, <=, =, != can stand here';
}
