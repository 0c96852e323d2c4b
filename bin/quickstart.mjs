// `npm run quickstart`: plays the whole story of a test kit against the running server.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

buildIfStale();
const { quickstart } = await import('../dist/examples/quickstart/quickstart.js');
process.exitCode = await quickstart({ project: dirname(dirname(fileURLToPath(import.meta.url))) });
