// Bundles the program, and packages of hundreds of small modules, into a few files: reading and linking two thousand
// modules takes more than half of a start. Node finds the packages in dist/node_modules before the originals.
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The modules that the program imports, by package. */
const PACKAGES = {
  typebox: ['typebox', 'typebox/compile', 'typebox/value'],
  kysely: ['kysely'],
  'libphonenumber-js': ['libphonenumber-js/max'],
};

/** What Node runs: the program, and the programs of its processes and threads. */
const PROGRAMS = {
  main: 'src/main.ts',
  'parse-file': 'src/wearables/files/parse/child.ts',
  'parse-report': 'src/labs/results/parser/parse/child.ts',
  draw: 'src/labs/documents/drawing/thread.ts',
};

/**
 * Writes dist/program. Each compiled program becomes one line that imports its bundle, so that it has one path, with a
 * bundle and without. `dist` is the folder of the build.
 */
async function bundlePrograms(dist) {
  const programs = Object.entries(PROGRAMS).filter(([, source]) => existsSync(join(root, source)));
  const target = join(dist, 'program');
  await writeWhole(target, async (folder) => {
    const bundled = await rolldown({
      input: Object.fromEntries(programs),
      cwd: root,
      platform: 'node',
      external: (id) => !id.startsWith('.') && !isAbsolute(id),
      plugins: [{ name: 'address', transform: withOwnAddress }],
    });
    const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' };
    await bundled.write({ dir: folder, format: 'esm', sourcemap: true, ...names });
    await bundled.close();
  });
  for (const [name, source] of programs) {
    const compiled = join(dist, source.replace(/\.ts$/, '.js'));
    const bundle = relative(dirname(compiled), join(target, `${name}.js`));
    const fresh = `${compiled}.fresh`;
    writeFileSync(fresh, `export * from '${bundle}';\n`);
    renameSync(fresh, compiled);
  }
}

/**
 * Calls `write` with a new folder, which becomes `target` at the end. So a failed build leaves no half of a folder,
 * which Node would find before the whole package. The new folder is beside `target`: source maps have relative paths.
 */
async function writeWhole(target, write) {
  const fresh = `${target}.fresh`;
  try {
    mkdirSync(fresh, { recursive: true });
    await write(fresh);
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** A module finds files beside itself, so it keeps the address that it has without a bundle. */
function withOwnAddress(code, file) {
  if (!code.includes('import.meta.url')) return null;
  const address = `new URL('../${relative(root, file).replace(/\.ts$/, '.js')}', import.meta.url).href`;
  return { code: code.replaceAll('import.meta.url', address), map: null };
}

/** Writes dist/node_modules. */
async function bundlePackages(dist) {
  for (const [name, imported] of Object.entries(PACKAGES)) {
    await writeWhole(join(dist, 'node_modules', name), async (folder) => {
      const files = Object.fromEntries(imported.map((module) => [module.slice(name.length + 1) || 'index', module]));
      const bundled = await rolldown({ input: files, cwd: root, platform: 'node' });
      await bundled.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
      await bundled.close();
      const exports = Object.fromEntries(
        Object.keys(files).map((file) => [file === 'index' ? '.' : `./${file}`, `./${file}.mjs`]),
      );
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
      copyLicence(join(root, 'node_modules', name), folder);
    });
  }
}

function copyLicence(from, to) {
  const licence = readdirSync(from).find((name) => /^licen[cs]e/i.test(name));
  if (licence) copyFileSync(join(from, licence), join(to, licence));
}

const dist = process.argv[2];
await bundlePackages(dist);
await bundlePrograms(dist);
