// What `npm start` runs: builds if anything changed, then serves in this very process, so that signals reach it.
import { buildIfStale } from './build.mjs';

buildIfStale();
const { main } = await import('../dist/src/main.js');
process.exitCode = await main(process.argv.slice(2), { stopWithParent: true });
