import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import { command, SHELLS, type Command } from './command.ts';

/** Commands that start processes, and commands about the program itself. */
export const SERVE_COMMANDS: Command[] = [
  command({
    words: 'serve',
    insteadOf: ['start', 'run'],
    summary: 'Run the API and its worker in one process. This is the default command.',
    examples: ['phial', 'phial serve', 'PORT=8080 phial serve'],
    flags: {},
    run: async (_, options) => (await import('./serve-command.ts')).serveCommand('serve', options),
  }),
  command({
    words: 'api',
    summary: 'Run the API only. Several of them may share a PostgreSQL server.',
    examples: ['phial api', 'PORT=8080 phial api'],
    flags: {},
    run: async (_, options) => (await import('./serve-command.ts')).serveCommand('api', options),
  }),
  command({
    words: 'worker',
    summary: 'Run deliveries and background work only. Several of them may share a PostgreSQL server.',
    examples: ['phial worker', 'PHIAL_METRICS_PORT=9100 phial worker'],
    flags: {},
    run: async (_, options) => (await import('./serve-command.ts')).serveCommand('worker', options),
  }),
];

export const PROGRAM_COMMANDS: Command[] = [
  command({
    words: 'completion',
    summary: 'Print the script that completes command lines in a shell.',
    examples: ['source <(phial completion bash)', 'phial completion zsh > ~/.phial-completion'],
    operand: { name: 'SHELL', meaning: 'The shell.', required: true, choices: SHELLS },
    flags: {},
    run: async (values) => (await import('./completion.ts')).completionCommand(values),
  }),
  command({
    words: 'openapi',
    summary: 'Print the OpenAPI document.',
    examples: ['phial openapi', 'phial openapi > openapi.json'],
    flags: {},
    run: async () => {
      console.log(readFileSync(join(PACKAGE_ROOT, 'openapi.json'), 'utf8'));
      return 0;
    },
  }),
];
