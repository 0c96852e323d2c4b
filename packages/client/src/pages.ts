/**
 * What to add to the query of the next page, or to the body where an operation takes the token there. Empty for the
 * first page. A list uses one of them.
 */
export type Next = { next_cursor?: string; next_token?: string; page?: number; offset?: number };

/** The keys by which lists say whether another page follows. */
type Page = {
  next_cursor?: string | null;
  next_token?: string | null;
  page?: number;
  size?: number;
  offset?: number;
  limit?: number;
  total?: number;
};

/**
 * Yields the pages of a list, from the first to the last.
 *
 * @example pagesOf((next) => unwrap(phial.GET('/v3/orders', { params: { query: { ...next, size: 100 } } })))
 */
export async function* pagesOf<Read extends object>(read: (next: Next) => Promise<Read>): AsyncGenerator<Read, void> {
  for (let next: Next | null = {}; next !== null;) {
    const page: Read = await read(next);
    yield page;
    next = nextOf(page);
  }
}

/**
 * Yields the items of a list, page by page. `key` is the member of a page that has the items.
 *
 * @example itemsOf(pagesOf((next) => unwrap(phial.GET('/v3/orders', { params: { query: next } }))), 'orders')
 */
export async function* itemsOf<Read extends object, Key extends keyof Read>(
  pages: AsyncIterable<Read>,
  key: Key,
): AsyncGenerator<Item<Read[Key]>, void> {
  for await (const page of pages) yield* page[key] as Item<Read[Key]>[];
}

type Item<List> = List extends readonly (infer One)[] ? One : never;

function nextOf({ next_cursor, next_token, page, size, offset, limit, total = 0 }: Page): Next | null {
  if (next_cursor) return { next_cursor };
  // Of the lists that answer with a token, one takes it as next_cursor and one as next_token. Each ignores the other.
  if (next_token) return { next_cursor: next_token, next_token };
  if (page !== undefined && size !== undefined) return page * size < total ? { page: page + 1 } : null;
  if (offset !== undefined && limit !== undefined) return offset + limit < total ? { offset: offset + limit } : null;
  return null;
}
