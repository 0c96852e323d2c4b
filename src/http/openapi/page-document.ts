import { ENVELOPE_TEXT } from './document.ts';

type Document = {
  tags: { name: string; description?: string }[];
  webhooks: Record<string, { post: { description: string } }>;
};

/**
 * The document as the reference page shows it: of events the names and when each comes. With the shape and the example of all of
 * them drawn out, as the page draws operations, it stood still for most of a minute.
 */
export function pageDocument(text: string): string {
  const { webhooks, ...document } = JSON.parse(text) as Document;
  const rows = Object.entries(webhooks).map(
    ([name, { post }]) => `| \`${name}\` | ${post.description.replace(` ${ENVELOPE_TEXT}`, '')} |`,
  );
  const table = ['| Event | |', '|---|---|', ...rows].join('\n');
  const tags = document.tags.map((tag) =>
    tag.name === 'events' ? { ...tag, description: `${tag.description ?? ''}\n\n${ENVELOPE_TEXT}\n\n${table}` } : tag,
  );
  return JSON.stringify({ ...document, tags });
}
