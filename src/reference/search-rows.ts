// What the search of the reference looks through. The script of the page loads it when a reader begins to search.
import { routesOf, type Document } from './document.ts';
import { listGuides, rowsOfGuide } from './guides.ts';
import { anchorOf } from './html.ts';

/** Kind, title, path below /docs/, and further words. */
export type SearchRow = [kind: string, title: string, path: string, words: string];

export function searchRows(document: Document): SearchRow[] {
  return [
    ...routesOf(document).map(({ method, path, operation }): SearchRow => {
      const { operationId, summary, tags } = operation;
      return [`${method} ${path}`, summary, `operations/${operationId}`, `${method} ${path} ${operationId} ${tags[0]}`];
    }),
    ...Object.keys(document.webhooks).map((name): SearchRow => ['event', name, `events/${name}`, '']),
    ...listGuides()
      .flatMap((guide) => rowsOfGuide(guide, anchorOf))
      .map(([kind, title, path, words]): SearchRow => [kind, title, path, shorten(words)]),
  ];
}

/** Each word once: the search asks only whether a text has a word. */
const shorten = (words: string): string =>
  [...new Set(words.toLowerCase().match(/[\p{L}\d_./-]{3,}/gu) ?? [])].join(' ');
