import { UsageError } from '../command.ts';
import { MAX_ITEMS } from './remote-flags.ts';

export function readLimit(words: string, text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_ITEMS) return limit;
  throw new UsageError(`phial ${words} takes a number from 1 to ${MAX_ITEMS} as --limit, not ${JSON.stringify(text)}.`);
}

/** Returns the first items. It reads no further page once it has them. */
export async function take<Item>(items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= limit) break;
  }
  return taken;
}
