// A `where` as a tree. The grammar is complete: everything else is an error.
//
//   condition   = conjunction { OR conjunction }
//   conjunction = negation { AND negation }
//   negation    = NOT negation | "(" condition ")" | operand [ operator operand ]
//   operand     = column | number | 'text' | TRUE | FALSE | NULL
import { tokensOf, WhereError, type Token } from './tokens.ts';

export type Operator = '>' | '>=' | '<' | '<=' | '=' | '!=';

export type Operand = { at: number } & ({ column: string } | { value: number | string | boolean | null });

export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { left: Operand; operator: Operator; right: Operand }
  /** An operand that is true or false without a comparison, for example a column of booleans. */
  | { operand: Operand };

export const LONGEST_WHERE = 4_000;
const MAX_TERMS = 100;
const MAX_DEEP = 20;

/** Parses a `where`. Throws WhereError with the position of the first wrong character. */
export function parseWhere(where: string): Condition {
  if (where.length > LONGEST_WHERE)
    throw new WhereError(LONGEST_WHERE + 1, `At most ${LONGEST_WHERE} characters are allowed`);
  const tokens = tokensOf(where);
  let next = 0;
  let terms = 0;

  const end = where.length + 1;
  const peek = (): Token | undefined => tokens[next];
  const takes = (text: string): boolean => {
    const token = peek();
    const is = (token?.kind === 'word' || token?.kind === 'operator') && token.text === text;
    if (is) next += 1;
    return is;
  };

  function chain(word: 'OR' | 'AND', each: (depth: number) => Condition, depth: number): Condition[] {
    const parts = [each(depth)];
    while (takes(word)) parts.push(each(depth));
    return parts;
  }
  function condition(depth: number): Condition {
    const any = chain('OR', conjunction, depth);
    return any.length === 1 ? (any[0] as Condition) : { any };
  }
  function conjunction(depth: number): Condition {
    const all = chain('AND', negation, depth);
    return all.length === 1 ? (all[0] as Condition) : { all };
  }
  function negation(depth: number): Condition {
    const at = peek()?.at ?? end;
    if (depth > MAX_DEEP) throw new WhereError(at, `Parentheses and NOT can be nested at most ${MAX_DEEP} deep`);
    if (takes('NOT')) return { not: negation(depth + 1) };
    if (!takes('(')) return comparison();
    const inner = condition(depth + 1);
    if (!takes(')')) throw new WhereError(peek()?.at ?? end, 'A closing parenthesis is missing');
    return inner;
  }
  function comparison(): Condition {
    terms += 1;
    if (terms > MAX_TERMS) throw new WhereError(peek()?.at ?? end, `At most ${MAX_TERMS} comparisons are allowed`);
    const left = operand();
    const token = peek();
    if (token?.kind !== 'operator' || token.text === '(' || token.text === ')') return { operand: left };
    next += 1;
    return { left, operator: token.text as Operator, right: operand() };
  }
  function operand(): Operand {
    const token = peek();
    next += 1;
    if (token?.kind === 'name') return { column: token.text, at: token.at };
    if (token?.kind === 'number') return { value: token.number, at: token.at };
    if (token?.kind === 'text') return { value: token.text, at: token.at };
    if (token?.kind === 'word' && CONSTANTS.has(token.text)) {
      return { value: CONSTANTS.get(token.text) as boolean | null, at: token.at };
    }
    throw new WhereError(token?.at ?? end, 'A column or a value is missing');
  }

  const whole = condition(0);
  const left = peek();
  if (left) throw new WhereError(left.at, 'AND, OR or the end is missing');
  return whole;
}

const CONSTANTS = new Map<string, boolean | null>([
  ['TRUE', true],
  ['FALSE', false],
  ['NULL', null],
]);
