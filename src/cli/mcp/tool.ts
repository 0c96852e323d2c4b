import type { Phial } from '@phial/client';
import type { Static, TObject } from 'typebox';

/**
 * The answer of a tool: facts, and the items of its list by the name of the list. Only the list has no fixed size, so
 * an answer that is too long loses its last items.
 */
type Answer = Record<string, unknown> & { list?: { name: string; items: readonly object[] } };

/** A tool that an assistant may call. All tools read: none changes anything. */
export type Tool = {
  name: string;
  title: string;
  description: string;
  input: TObject;
  read: (phial: Phial, input: never) => Promise<Answer>;
};

/** Declares a tool. The type of `input` follows from its schema, which also refuses members that it does not have. */
export function tool<const Input extends TObject>(definition: {
  name: string;
  title: string;
  description: string;
  input: Input;
  read: (phial: Phial, input: Static<Input>) => Promise<Answer>;
}): Tool {
  return definition;
}

/** A call that a tool refuses before it asks the service. */
export class ToolError extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** About 25,000 words of a language model, which is what its clients accept at most. */
const MAX_CHARACTERS = 80_000;
/** For the name of the list and the number of items that are left out. */
const FOR_NAMES = 100;

/** Returns the answer as JSON. `left_out` says how many items of the list it does not have. */
export function writeAnswer({ list, ...facts }: Answer): string {
  if (!list) return JSON.stringify(facts);
  const written: string[] = [];
  let left = MAX_CHARACTERS - FOR_NAMES - JSON.stringify(facts).length;
  for (const item of list.items) {
    const text = JSON.stringify(item);
    if ((left -= text.length + 1) < 0) break;
    written.push(text);
  }
  const left_out = list.items.length - written.length;
  const head = JSON.stringify({ ...facts, ...(left_out > 0 && { left_out }) });
  return `${head.slice(0, -1)}${head === '{}' ? '' : ','}${JSON.stringify(list.name)}:[${written.join(',')}]}`;
}
