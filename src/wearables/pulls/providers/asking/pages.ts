import type { PullSource } from '../../puller.ts';
import { askProvider, type ProviderApi, type Question } from './ask-provider.ts';
import { objectIn, textOr, type Found } from './read-answer.ts';

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
  source: PullSource,
  api: ProviderApi,
  { url, query, told, asked }: Paged,
): AsyncIterable<Found> {
  let token: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer: Found = objectIn(await askProvider(source, api, { url, query: { ...query, [asked]: token } }));
    yield answer;
    token = textOr(answer[told]);
    if (token === null) return;
  }
}
