import { ownProperty } from '../wire/own-property.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns `text` for an element or an attribute. */
export const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ownProperty(ENTITIES, character) ?? '');

export const code = (text: string): string => `<code>${escape(text)}</code>`;

/** A block of code. A reader copies it with the button that the script of the page adds. */
export const block = (text: string, language: string): string =>
  `<pre tabindex="0"><code class="${escape(language)}">${escape(text)}</code></pre>`;

export const json = (value: unknown): string => block(JSON.stringify(value, null, 2), 'json');

/** The anchor that GitHub makes from a heading, so that a link works in both places. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
