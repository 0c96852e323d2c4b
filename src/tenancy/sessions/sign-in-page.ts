import type { BrowserResponse } from '../../operation/media.ts';
import { escapeHtml, layout } from '../../operation/html-page.ts';

const STYLE = `
form{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem}
button{font:inherit;font-weight:600;width:100%;min-height:2.75rem;margin:0;border:0;border-radius:.5rem;
background:var(--go);color:var(--card);cursor:pointer}
button:focus-visible{outline:3px solid var(--go);outline-offset:2px}
p{overflow-wrap:anywhere}
`;

/**
 * Returns the page on which a person signs in with a one-time link. It names the person, so that nobody signs in as
 * somebody else by mistake. `name` is null for the operator.
 */
export const signInPage = ({ org, name }: { org: string; name: string | null }): BrowserResponse => ({
  ...layout(
    'Sign in to Phial',
    [
      `<p>You sign in to ${escapeHtml(org || 'your organisation')} as ` +
        `<strong>${escapeHtml(name ?? 'the operator')}</strong>. This link works once.</p>`,
      '<form method="post"><button type="submit">Sign in</button></form>',
    ].join('\n'),
    STYLE,
  ),
  hasForm: true,
});
