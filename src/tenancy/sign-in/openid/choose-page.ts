import type { BrowserResponse } from '../../../operation/media.ts';
import { escapeHtml, layout } from '../../../operation/html-page.ts';

const STYLE = `
ul{list-style:none;margin:0;padding:0}
li{margin:0 0 .5rem;overflow-wrap:anywhere}
a{display:block;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--card);
color:var(--ink);font-weight:600}
a:focus-visible{outline:3px solid var(--go);outline-offset:2px}
`;

/** Returns the page on which a member of several organisations chooses one. Each link signs in once. */
export const choosePage = (choices: readonly { name: string; url: string }[]): BrowserResponse =>
  layout(
    'Choose your organisation',
    [
      '<p>You are a member of these organisations. Choose the one to sign in to.</p>',
      '<ul>',
      ...choices.map(
        ({ name, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(name || 'An organisation')}</a></li>`,
      ),
      '</ul>',
    ].join('\n'),
    STYLE,
  );
