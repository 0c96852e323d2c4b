import type { BrowserResponse } from './media.ts';

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

// The colours have the contrast that WCAG 2.2 AA requires, in the light and the dark scheme: at least 4.5:1 for text,
// and 3:1 for borders of controls.
const STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#4a5565;--ground:#f6f7f9;--card:#fff;--line:#7a8594;--go:#0b5c4a}
@media (prefers-color-scheme:dark){
:root{--ink:#eef1f5;--soft:#b4bdc9;--ground:#12161c;--card:#1b212a;--line:#8490a0;--go:#7fd8bf}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:28rem;margin:0 auto;padding:2rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
p{margin:0 0 1.25rem;color:var(--soft)}
ul{list-style:none;margin:0 0 1.5rem;padding:0;display:grid;gap:.75rem}
a.provider{display:grid;grid-template-columns:3rem 1fr;gap:.75rem;align-items:center;min-height:4.5rem;padding:.75rem;
background:var(--card);border:1px solid var(--line);border-radius:.75rem;color:inherit;text-decoration:none}
a.provider:hover{border-color:var(--go)}
a:focus-visible{outline:3px solid var(--go);outline-offset:2px}
a.provider img{width:3rem;height:3rem;display:block}
a.provider strong{display:block}
a.provider span{display:block;color:var(--soft);font-size:.9rem;line-height:1.35}
code{overflow-wrap:anywhere}
a.close{color:var(--go);display:inline-block;padding:.6rem 0}
`.trim();

/**
 * Returns a page for people. The page needs no script, and loads only our own pictures.
 *
 * @param body HTML
 * @param more styles of this page, in addition to those that all pages share
 */
export const layout = (title: string, body: string, more = ''): Extract<BrowserResponse, { html: string }> => ({
  style: STYLE + more,
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}${more}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`,
});
