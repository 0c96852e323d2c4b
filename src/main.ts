import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from './config/options.ts';
import { PACKAGE_ROOT, VERSION } from './package-root.ts';

const HELP = `phial [command]

  serve                        the API and its worker in one process (default)
  api | worker                 one of the two; any number of each may share a PostgreSQL
  migrate                      bring the database to this release's shape
  bootstrap --org NAME [--plan scale]
                               make an organisation and its Org Management Key
  org set-plan --org ID --plan launch|grow|scale
  backup --to DIRECTORY        a consistent copy, while the service runs or not
  restore --from DIRECTORY     the way back, into an empty database
  openapi                      print the OpenAPI document

Options come from the environment and from .env; .env.example lists them.`;

/** Runs a command line; the number is the exit code. Each command loads only what it needs. */
export async function main(args: string[], options: { stopWithParent?: boolean } = {}): Promise<number> {
  const [command = 'serve', ...rest] = args;
  try {
    switch (command) {
      case 'serve':
      case 'api':
      case 'worker':
        return await (await import('./cli/serve.ts')).serveCommand(command, options);
      case 'migrate':
        return await (await import('./cli/database.ts')).migrateCommand();
      case 'bootstrap':
        return await (await import('./cli/org.ts')).bootstrapCommand(rest);
      case 'org':
        return await (await import('./cli/org.ts')).setPlanCommand(rest);
      case 'backup':
        return await (await import('./cli/database.ts')).backupCommand(rest);
      case 'restore':
        return await (await import('./cli/database.ts')).restoreCommand(rest);
      case 'openapi':
        console.log(readFileSync(join(PACKAGE_ROOT, 'openapi.json'), 'utf8'));
        return 0;
      case '--version':
      case '-v':
        console.log(VERSION);
        return 0;
      case 'help':
      case '--help':
      case '-h':
        console.log(HELP);
        return 0;
      default:
        console.error(`There is no command ${JSON.stringify(command)}.\n\n${HELP}`);
        return 2;
    }
  } catch (error) {
    // A person reads this.
    console.error(error instanceof ConfigError ? error.message : `Phial cannot go on: ${(error as Error).message}`);
    return 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2));
