import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootstrapCommand, setPlanCommand } from './cli/org.ts';
import { backupCommand, migrateCommand, restoreCommand } from './cli/database.ts';
import { serveCommand } from './cli/serve.ts';
import { ConfigError } from './config.ts';
import { PACKAGE_ROOT } from './package-root.ts';

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

/** Runs a command line; the number is the exit code. */
export async function main(args: string[], options: { stopWithParent?: boolean } = {}): Promise<number> {
  const [command = 'serve', ...rest] = args;
  try {
    switch (command) {
      case 'serve': case 'api': case 'worker': return await serveCommand(command, options);
      case 'migrate': return await migrateCommand();
      case 'bootstrap': return await bootstrapCommand(rest);
      case 'org': return await setPlanCommand(rest);
      case 'backup': return await backupCommand(rest);
      case 'restore': return await restoreCommand(rest);
      case 'openapi':
        console.log(readFileSync(join(PACKAGE_ROOT, 'openapi.json'), 'utf8'));
        return 0;
      case 'help': case '--help': case '-h':
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
