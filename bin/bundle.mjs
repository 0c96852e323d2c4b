// Bundles packages of hundreds of small modules into one file each: reading and linking a thousand modules takes half
// of a start. Node finds the bundles in dist/node_modules before the originals.
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The modules that the program imports, by package. */
const PACKAGES = {
  typebox: ['typebox', 'typebox/compile', 'typebox/value'],
  kysely: ['kysely'],
  'libphonenumber-js': ['libphonenumber-js/max'],
};

/** Writes dist/node_modules; `dist` is the folder of the build. */
async function bundle(dist) {
  for (const [name, imported] of Object.entries(PACKAGES)) {
    const target = join(dist, 'node_modules', name);
    const files = Object.fromEntries(imported.map((module) => [module.slice(name.length + 1) || 'index', module]));
    const bundled = await rolldown({ input: files, cwd: root, platform: 'node' });
    await bundled.write({ dir: target, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
    await bundled.close();
    const exports = Object.fromEntries(
      Object.keys(files).map((file) => [file === 'index' ? '.' : `./${file}`, `./${file}.mjs`]),
    );
    writeFileSync(join(target, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
    copyLicence(join(root, 'node_modules', name), target);
  }
}

function copyLicence(from, to) {
  const licence = readdirSync(from).find((name) => /^licen[cs]e/i.test(name));
  if (licence) copyFileSync(join(from, licence), join(to, licence));
}

await bundle(process.argv[2]);
