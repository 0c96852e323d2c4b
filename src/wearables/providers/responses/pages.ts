import type { ImportSource } from '../importer.ts';

import { objectIn, textOr, type ProviderObject } from './read-response.ts';
import type { ProviderApi, Question } from '../provider-api.ts';

/** The most pages of a response. With more pages, the provider probably repeats them without end. */
const MAX_PAGES = 500;

type Paged = {
  url: string;
  query: NonNullable<Question['query']>;
  /** The token of the next page has one name in a response and another in a request. */
  inResponse: string;
  inRequest: string;
};

/** Yields the provider's responses page by page. Each response but the last one has the token of the next page. */
export async function* pagesByToken(
  source: ImportSource,
  api: ProviderApi,
  { url, query, inResponse, inRequest }: Paged,
): AsyncIterable<ProviderObject> {
  let token: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const response: ProviderObject = objectIn(await source.ask(api, { url, query: { ...query, [inRequest]: token } }));
    yield response;
    token = textOr(response[inResponse]);
    if (token === null) return;
  }
}
