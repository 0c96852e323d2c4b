#!/usr/bin/env node
import { buildIfStale } from './build.mjs';

buildIfStale();
process.setSourceMapsEnabled(true); // stack traces name the sources, not the bundles
const { main } = await import('../dist/src/main.js');
process.exitCode = await main(process.argv.slice(2));
