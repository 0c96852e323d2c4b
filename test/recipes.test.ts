// A recipe of CONTRIBUTING.md names every file that an example of it appears in, so that a reader forgets none.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** `own` is the module of the example. Its author decides about the files in it. */
const EXAMPLES: { recipe: string; example: RegExp; own: string | null }[] = [
  { recipe: 'an operation', example: /\blist_order_set_markers\b/, own: 'src/labs/' },
  {
    recipe: 'an event',
    example: /\bmatchReview(Created|Updated)\b|\blabtest\.match_review\b/,
    own: 'src/labs/results/',
  },
  { recipe: 'a table, or another migration', example: /\border_signatures\b/, own: 'src/labs/orders/' },
  { recipe: 'a series of samples', example: /\bhrv_sdnn\b/, own: null },
  { recipe: 'a provider of wearable data', example: /\bwahoo\b/i, own: null },
];

const files = ['src', 'test', 'migrations']
  .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => `${root}/${file}`))
  // Tests that start programs play whole stories, which contain each example by chance.
  .filter((file) => /\.(ts|sql)$/.test(file) && !/\.process\.test\.ts$|\/recipes\.test\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** Files and folders of a recipe. Their beginning may be left out. */
function pathsOf(recipe: string): string[] {
  const [, chapter = ''] = readFileSync('CONTRIBUTING.md', 'utf8').split(`## Recipe: ${recipe}\n`);
  const [text = ''] = chapter.split('\n## ');
  return [...text.matchAll(/`([\w./-]+(?:\.ts|\.sql|\/))`/g)].map(([, path]) => path as string);
}

const isNamed = (file: string, paths: string[]): boolean =>
  paths.some((path) =>
    path.endsWith('/')
      ? `/${file}`.includes(`/${path}`)
      : `/${file}`.endsWith(`/${path}`) || (path.includes('NNNN') && file.startsWith('migrations/')),
  );

test.each(EXAMPLES)('the recipe for $recipe names each file of its example', ({ recipe, example, own }) => {
  const paths = pathsOf(recipe);
  const found = files.filter(({ file, text }) => example.test(text) && (own === null || !file.startsWith(own)));
  expect(found.map(({ file }) => file).filter((file) => !isNamed(file, paths))).toEqual([]);
  expect(found.length).toBeGreaterThan(1);
});
