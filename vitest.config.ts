import { defineConfig } from 'vitest/config';

// A file that starts processes of its own says so in its name; all others share the modules of their worker.
const FOLDERS = '{src,packages/*/src,examples,test}';
const STARTS_PROCESSES = [`${FOLDERS}/**/*.{process,browser}.test.ts`];
// What is waited for comes when it comes: a busy machine makes a test slow, not red.
const limits = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 15_000, interval: 20 } } };

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    // A worker often waits for PostgreSQL, a process or a timer: three of them keep two cores busy.
    maxWorkers: 3,
    // The next run reads the compiled modules that have not changed.
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          ...limits,
          name: 'processes',
          globalSetup: ['test/built.ts'],
          include: STARTS_PROCESSES,
          isolate: false,
        },
      },
      {
        test: {
          ...limits,
          name: 'service',
          include: [`${FOLDERS}/**/*.test.ts`],
          exclude: STARTS_PROCESSES,
          isolate: false,
        },
      },
    ],
  },
});
