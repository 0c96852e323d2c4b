import type { ImportSource } from '../importer.ts';

import { objectIn, textOr, type Found } from './read-answer.ts';
import type { ProviderApi, Question } from '../provider-api.ts';

/** Whoever has more has an answer that repeats itself. */
const MOST_PAGES = 500;

type Paged = {
  url: string;
  query: NonNullable<Question['query']>;
  /** What an answer calls the token of the next page, and what a question does. */
  told: string;
  asked: string;
};

/** Answers page by page, where each has the token of the next one and the last has none. */
export async function* pagesByToken(
  source: ImportSource,
  api: ProviderApi,
  { url, query, told, asked }: Paged,
): AsyncIterable<Found> {
  let token: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer: Found = objectIn(await source.ask(api, { url, query: { ...query, [asked]: token } }));
    yield answer;
    token = textOr(answer[told]);
    if (token === null) return;
  }
}
