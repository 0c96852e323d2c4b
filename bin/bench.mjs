// `npm run bench`: runs every benchmark, or the named one.
import { buildIfStale } from './build.mjs';

buildIfStale();
const { bench } = await import('../dist/bench/bench.js');
process.exitCode = await bench(process.argv.slice(2));
