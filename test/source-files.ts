import { readdirSync, readFileSync } from 'node:fs';

export type SourceFile = { file: string; text: string };

const isTest = ({ file }: SourceFile): boolean => file.endsWith('.test.ts');

/** The TypeScript files of a folder with their text. */
const readFolder = (folder: string): SourceFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('/node_modules/'))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

/** The source files of src, without tests and generated files. */
export const sources: SourceFile[] = readFolder('src').filter((source) => !isTest(source));

/** The files of packages and of examples, with their tests. */
export const workspaceFiles: SourceFile[] = ['packages', 'examples'].flatMap((folder) =>
  readdirSync(folder).flatMap((name) => readFolder(`${folder}/${name}`)),
);

/** The sources of the dashboard, which runs in browsers. */
export const dashboardFiles: SourceFile[] = readFolder('dashboard/src');

/** Everything that is built into the program, and the examples. */
export const allSources: SourceFile[] = [...sources, ...workspaceFiles.filter((source) => !isTest(source))].toSorted(
  (a, b) => (a.file < b.file ? -1 : 1),
);

/** The path of a file, without `src/` and `.ts`: labs/orders/cancel. */
export const sourcePathOf = (file: string): string => file.replace(/^src\/|\.ts$/g, '');

/** Whether a path is `under` or below it. */
export const isUnder = (sourcePath: string, under: string): boolean =>
  sourcePath === under || sourcePath.startsWith(`${under}/`);
