import { pathToFileURL } from 'node:url';
import { CommandError, UsageError, type RunOptions } from './cli/command.ts';
import { readCommandLine } from './cli/command-line.ts';
import { COMMANDS, GROUPS } from './cli/commands.ts';
import { helpOn, helpOnAll } from './cli/help.ts';
import { ConfigError } from './config/options.ts';
import { VERSION } from './package-root.ts';

/** Runs a command line. Returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments. */
export async function main(args: string[], options: RunOptions = {}): Promise<number> {
  try {
    if (args[0] === '--version' || args[0] === '-v') {
      console.log(VERSION);
      return 0;
    }
    const asked = readCommandLine(args, COMMANDS, GROUPS);
    if ('help' in asked) {
      console.log(asked.help === COMMANDS ? helpOnAll(GROUPS) : helpOn(asked.help));
      return 0;
    }
    return await asked.command.run(asked.values as never, options);
  } catch (error) {
    // The text is for the person at the terminal, so it has no stack trace.
    const { message } = error as Error;
    const isPlain = error instanceof ConfigError || error instanceof UsageError || error instanceof CommandError;
    console.error(isPlain ? message : `Phial cannot go on: ${message}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2));
