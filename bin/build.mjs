// Compiles src and bench to dist, if anything changed since the last time.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'dist', '.built');

export function buildIfStale() {
  if (isFresh()) return;
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) {
    if (existsSync(stamp)) return; // a production install without development packages runs what was built
    throw new Error('Phial is not built, and its compiler is not installed. Run npm ci.');
  }
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The build failed.');
  writeFileSync(stamp, '');
}

function isFresh() {
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = ['src', 'bench'].flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
  return [...files, join(root, 'package.json'), join(root, 'tsconfig.json'), join(root, 'tsconfig.build.json')]
    .every((file) => statSync(file).mtimeMs <= built);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) buildIfStale();
