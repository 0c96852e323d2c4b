import { ENVELOPE_TEXT } from './document.ts';

type Document = {
  tags: { name: string; description?: string }[];
  webhooks: Record<string, { post: { description: string } }>;
};

/**
 * Returns the OpenAPI document for the reference page. For each event, it has only the name and a sentence that says
 * when we publish the event. With the full shape and an example of every event, the page would freeze for most of a
 * minute.
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
