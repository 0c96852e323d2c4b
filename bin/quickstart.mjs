// What `npm run quickstart` runs: the whole story of a test kit, told against the running server.
import { buildIfStale } from './build.mjs';

buildIfStale();
const { quickstart } = await import('../dist/src/quickstart/quickstart.js');
process.exitCode = await quickstart();
