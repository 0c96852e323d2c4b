#!/usr/bin/env node
import { buildIfStale } from './build.mjs';

buildIfStale();
const { main } = await import('../dist/src/main.js');
process.exitCode = await main(process.argv.slice(2));
