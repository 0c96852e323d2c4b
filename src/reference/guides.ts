// The Markdown documents that the reference shows beside the operations.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import { code } from './html.ts';
import { renderMarkdown, sectionsOf } from './markdown.ts';
import { picturesOf, type Picture } from './pictures.ts';
import type { SearchRow } from './search-rows.ts';

/** A document, with its path in the repository, its path below /docs/ and the pictures that it shows. */
export type Guide = { file: string; path: string; title: string; pictures: Picture[] };

/** The folders that are shown, with the titles of their lists. */
export const FOLDERS = { guides: 'Guides', operate: 'Operate' } as const;

/** The guide to which each refusal of an operation links. */
const CODES_PATH = 'guides/errors-by-code';

const single = { 'README.md': 'readme', 'docs/glossary.md': 'glossary' };

const read = (file: string): string => readFileSync(join(PACKAGE_ROOT, file), 'utf8');

const pathOf = (file: string): string =>
  ({ ...single })[file] ?? file.replace(/^docs\//, '').replace(/(?:\/README)?\.md$/, '');

/** Lists the documents. The index of a folder is its README, which comes first. */
export function listGuides(): Guide[] {
  const files = Object.keys(FOLDERS).flatMap((folder) => {
    const index = `docs/${folder}/README.md`;
    const listed = [...read(index).matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => `docs/${folder}/${name}`);
    const present = readdirSync(join(PACKAGE_ROOT, 'docs', folder)).map((name) => `docs/${folder}/${name}`);
    return [index, ...new Set([...listed, ...present.filter((file) => file !== index && file.endsWith('.md'))])];
  });
  return [...Object.keys(single), ...files].map((file) => {
    const text = read(file);
    return { file, path: pathOf(file), title: titleOf(text), pictures: picturesOf(file, text) };
  });
}

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? '';

/** Returns a document as HTML. A link to a file that the reference does not show is shown as text. */
export function renderGuide({ file, path, pictures }: Guide, guides: Guide[], root: string): string {
  const hrefOf = (target: string): string | null => {
    if (/^https?:/.test(target)) return URL.canParse(target) ? target : null;
    const [to = '', anchor] = target.split('#');
    const hash = anchor === undefined ? '' : `#${anchor}`;
    if (to === '') return hash;
    const named = posix.join(posix.dirname(file), to);
    const picture = pictures.find((each) => each.file === named);
    if (picture) return root + picture.path;
    const guide = guides.find((each) => each.file === named);
    return guide ? `${root}${guide.path}${hash}` : null;
  };
  const html = renderMarkdown(read(file), { hrefOf });
  if (path !== CODES_PATH) return html;
  return html.replaceAll(/<tr><td><code>(\w+)<\/code>/g, (_, name: string) => `<tr id="${name}"><td>${code(name)}`);
}

/** A row for each section, and for each code of errors. */
export function rowsOfGuide(guide: Guide, anchorOf: (heading: string) => string): SearchRow[] {
  const text = read(guide.file);
  const sections = sectionsOf(text).map(({ heading, body }, at): SearchRow => {
    const plain = heading.replaceAll('`', '');
    return [
      at === 0 ? 'guide' : guide.title,
      plain,
      at === 0 ? guide.path : `${guide.path}#${anchorOf(heading)}`,
      body,
    ];
  });
  if (guide.path !== CODES_PATH) return sections;
  const codes = [...text.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)].map(([, name = '', words = '']): SearchRow => [
    'error',
    name,
    `${guide.path}#${name}`,
    words,
  ]);
  return [...sections.map(([kind, title, path]): SearchRow => [kind, title, path, '']), ...codes];
}
