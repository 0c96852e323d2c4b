// `npm start`: builds if anything changed, then serves in this process, so that signals reach it.
import { buildIfStale } from './build.mjs';

buildIfStale();
process.setSourceMapsEnabled(true); // stack traces name the sources, not the bundles
const { main } = await import('../dist/src/main.js');
process.exitCode = await main(process.argv.slice(2), { stopWithParent: true });
