// Compiles packages/client for runtimes without types of Node, and packs it: `npm run client:pack`. Prints the file.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'packages', 'client');
// Not below packages: a new file there makes the program build again.
const dist = mkdtempSync(join(tmpdir(), 'phial-client-'));
process.on('exit', () => rmSync(dist, { recursive: true }));

const compiler = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', source, '--outDir', join(dist, 'lib')], { stdio: 'inherit' });
const { name, version, description, license, type, engines, dependencies } = JSON.parse(
  readFileSync(join(source, 'package.json'), 'utf8'),
);
const manifest = {
  name,
  version,
  description,
  license,
  type,
  engines,
  dependencies,
  sideEffects: false,
  exports: { '.': { types: './lib/client.d.ts', default: './lib/client.js' } },
};
writeFileSync(join(dist, 'package.json'), JSON.stringify(manifest, null, 2));
copyFileSync(join(source, 'README.md'), join(dist, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(dist, 'LICENSE'));
const [folder = process.cwd()] = process.argv.slice(2);
const packed = execFileSync('npm', ['pack', dist, '--pack-destination', folder, '--silent'], { encoding: 'utf8' });
console.log(join(folder, packed.trim()));
