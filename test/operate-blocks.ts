// The commands on the pages of docs/operate.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { makeBin } from './command-server.ts';
import { makeFolder } from './program.ts';

/** A block of commands, with its heading. */
export type Block = { heading: string; language: string; text: string };

/** The blocks of a page, in their order, without `npm ci`: the tests build the program once. */
export function blocksOf(page: string): Block[] {
  const chapters = readFileSync(`docs/operate/${page}.md`, 'utf8').split(/^##? /m);
  return chapters
    .flatMap((chapter) =>
      [...chapter.matchAll(/^ *```(sh|sql)\n([^]*?)^ *```/gm)].map(([, language = '', text = '']) => ({
        heading: chapter.split('\n', 1)[0] as string,
        language,
        text,
      })),
    )
    .filter(({ text }) => text.trim() !== 'npm ci && npm run build && npm prune --omit=dev');
}

/** Returns the blocks of a page one by one; `left` holds those that a test has not run yet. */
export function openPage(page: string): { next: (heading: string) => string; left: Block[] } {
  const left = blocksOf(page);
  return {
    left,
    next: (heading) => {
      const at = left.findIndex((block) => block.heading === heading);
      if (at === -1) throw new Error(`docs/operate/${page}.md has no further block below "${heading}".`);
      return left.splice(at, 1)[0]?.text as string;
    },
  };
}

/** A folder in which the commands of the pages run as in a clone. */
export function makeClone(): string {
  const folder = makeFolder();
  makeBin(folder);
  return folder;
}

/** Runs commands in that folder with only these variables set, and returns their output. */
export async function runIn(folder: string, commands: string, env: Record<string, string> = {}): Promise<string> {
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands], {
    cwd: folder,
    env: { PATH, HOME: folder, ...env },
  });
  return stdout;
}
