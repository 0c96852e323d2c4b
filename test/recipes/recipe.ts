// What an example of a recipe of CONTRIBUTING.md consists of.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A new file with `text`; or `text` directly after, directly before or instead of an anchor, which occurs once. */
export type Edit = { file: string; text: string } & (
  { after?: never; before?: never; instead?: never } | { after: string } | { before: string } | { instead: string }
);

export type Recipe = {
  /** The heading in CONTRIBUTING.md. */
  heading: string;
  edits: readonly Edit[];
  /** Files of the invented module, about which its author decides. The recipe need not name them. */
  own?: readonly string[];
  /** Tests that the recipe names as commands with UPDATE=1. They write files. */
  updates: readonly string[];
  /** What the recipe names and the example does not change, with the reason. */
  untouched: Readonly<Record<string, string>>;
};

export function applyEdit(folder: string, { file, text, ...position }: Edit): void {
  const path = join(folder, file);
  const [where, anchor] = (Object.entries(position) as [string, string][])[0] ?? [];
  if (where === undefined || anchor === undefined) {
    if (existsSync(path)) throw new Error(`${file} is there already. Choose another name for the invented file.`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return;
  }
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const parts = before.split(anchor);
  if (parts.length !== 2) {
    const found = `${parts.length - 1} times, not once, in ${file}`;
    throw new Error(`An edit of test/recipes finds its anchor ${found}. Choose another line there:\n${anchor}`);
  }
  const written = { after: anchor + text, before: text + anchor, instead: text }[where] as string;
  writeFileSync(path, parts.join(written));
}

/** The text of a recipe in CONTRIBUTING.md. */
function textOf(heading: string): string {
  const [, chapter] = readFileSync('CONTRIBUTING.md', 'utf8').split(`\n## Recipe: ${heading}\n`);
  if (chapter === undefined) throw new Error(`CONTRIBUTING.md has no recipe for ${heading}.`);
  return (chapter.split('\n## ')[0] as string).replaceAll(/\s+/g, ' ');
}

/** The files and folders that a recipe names. Their beginning may be left out. */
export function pathsOf(heading: string): string[] {
  const named = textOf(heading).matchAll(/`([\w./-]+(?:\.(?:ts|sql|md|json)|\/)|\.env\.example)`/g);
  return [...new Set([...named].map(([, path]) => path as string))];
}

/** The tests that a recipe runs with UPDATE=1, also by a script of package.json. */
export function updatesOf(heading: string): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const commands = [...textOf(heading).matchAll(/`(UPDATE=1 [^`]+|npm run \w+)`/g)].map(([, command]) => {
    const [, script] = /^npm run (\w+)/.exec(command as string) ?? [];
    return script === undefined ? (command as string) : (scripts[script] ?? '');
  });
  return [...new Set(commands.flatMap((command) => command.match(/\S+\.test\.ts/g) ?? []))];
}

/** Whether the path is the file, or a folder that contains it. */
export const names = (path: string, file: string): boolean => {
  if (path.includes('NNNN')) return /^migrations\/\d{4}_\w+\.sql$/.test(file);
  return path.endsWith('/') ? `/${file}`.includes(`/${path}`) : `/${file}`.endsWith(`/${path}`);
};
