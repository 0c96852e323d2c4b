// The frame of every page: search, the list of chapters, and the page itself.
import { escape } from './html.ts';

/** A link of the list. A chapter that is open shows its pages. */
export type Chapter = { title: string; path: string; pages?: { title: string; path: string }[] };

type Framed = {
  title: string;
  /** The path of the page below /docs/. The list marks it. */
  path: string;
  /** The relative path from the page to /docs/. */
  root: string;
  chapters: Chapter[];
  body: string;
  assets: { style: string; script: string };
};

export function frame({ title, path, root, chapters, body, assets }: Framed): string {
  const link = (to: { title: string; path: string }): string =>
    `<a href="${root}${to.path || '.'}"${to.path === path ? ' aria-current="page"' : ''}>${escape(to.title)}</a>`;
  const list = chapters
    .map((chapter) => {
      const pages = (chapter.pages ?? []).map((page) => `<li>${link(page)}</li>`).join('\n');
      return `<li>${link(chapter)}${pages && `<ul>${pages}</ul>`}</li>`;
    })
    .join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} · Phial</title>
<link rel="stylesheet" href="${root}${assets.style}">
<script src="${root}${assets.script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
<p class="brand"><a href="${root}.">Phial</a></p>
<div class="search" role="search" data-index="${root}search.json" data-root="${root}">
<input type="search" id="search" placeholder="Search (press /)" aria-label="Search operations, events and guides"
 role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off">
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
</div>
</header>
<div class="columns">
<nav aria-label="Chapters"><details id="chapters" open><summary>Chapters</summary><ul>${list}</ul></details></nav>
<main id="main" tabindex="-1">
${body}
</main>
</div>
</body>
</html>
`;
}
