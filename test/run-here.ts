// Runs commands of the program without a process of their own.
import { join } from 'node:path';
import { format } from 'node:util';
import { vi } from 'vitest';
import { OPTIONS } from '../src/config/option-table.ts';
import { makeFolder, surroundings, type Ran } from './program.ts';

/** The data directory is an empty one, unless `dataDir` names another. */
type Here = { env?: Record<string, string>; dataDir?: string };
type Output = { code: number; stdout: string; stderr: string; output: string };

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command until it ends, in the process of the tests, which costs a tenth of a start. One command runs at a
 * time, because they share the environment and the output. `runCommand` is for what a process does: its exit and its
 * signals. `serve`, `api` and `worker` run here only if their start fails. Their log lines are not in the output.
 */
export function runHere(args: string[], { env = {}, dataDir }: Here = {}): Promise<Ran> {
  const given = { ...surroundings(), PHIAL_DATA_DIR: dataDir ?? join(makeFolder(), 'data'), ...env };
  return oneAtATime(() => run(args, given));
}

type InShell = { args: string[]; env: Record<string, string>; cwd: string };

/** The same in a folder, which may have a file `.env`. `env` is the whole environment. */
export function runAsShell({ args, env, cwd }: InShell): Promise<Output> {
  return oneAtATime(async () => {
    const before = process.cwd();
    process.chdir(cwd);
    try {
      return await run(args, env);
    } finally {
      process.chdir(before);
    }
  });
}

function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

async function run(args: string[], env: Record<string, string>): Promise<Output> {
  const { main } = await import('../src/main.ts');
  const before = { ...process.env };
  const forgetListeners = rememberListeners();
  const written = takeOutput();
  for (const name of Object.keys(OPTIONS)) delete process.env[name];
  Object.assign(process.env, env);
  try {
    const code = await main(args);
    return { code, stdout: written.text('stdout'), stderr: written.text('stderr'), output: written.text() };
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    written.giveBack();
    forgetListeners();
  }
}

/** A start listens for these, and never stops listening. */
const EVENTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'];

/** Returns a function that removes the listeners that the process got meanwhile. */
function rememberListeners(): () => void {
  const before = EVENTS.map((event) => ({ event, listeners: process.rawListeners(event) }));
  return () => {
    for (const { event, listeners } of before)
      for (const listener of process.rawListeners(event))
        if (!listeners.includes(listener)) process.removeListener(event, listener as () => void);
  };
}

type Stream = 'stdout' | 'stderr';

/** Takes what is written to the console and to both streams. */
function takeOutput(): { text: (only?: Stream) => string; giveBack: () => void } {
  const parts: { to: Stream; text: string }[] = [];
  const writeTo = (to: Stream) => (text: unknown) => parts.push({ to, text: String(text) }) > 0;
  const printTo =
    (to: Stream) =>
    (...words: unknown[]) =>
      void writeTo(to)(`${format(...words)}\n`);
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(printTo('stdout')),
    vi.spyOn(console, 'error').mockImplementation(printTo('stderr')),
    vi.spyOn(process.stdout, 'write').mockImplementation(writeTo('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(writeTo('stderr')),
  ];
  return {
    text: (only) =>
      parts
        .filter(({ to }) => !only || to === only)
        .map(({ text }) => text)
        .join(''),
    giveBack: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
