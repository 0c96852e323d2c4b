// Runs the commands of a shell in the process of the tests. A start of the program would cost ten times as much.
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { runAsShell } from './run-here.ts';

/** If this variable is set, `bin/phial.mjs` of the folder sends its command to this socket. */
const SOCKET = 'PHIAL_TEST_COMMANDS';

const FORWARDING = `import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const { ${SOCKET}: path, ...env } = process.env;
if (!path) await import(${JSON.stringify(join(PACKAGE_ROOT, 'bin/phial.mjs'))});
else {
  const socket = connect(path);
  socket.end(JSON.stringify({ args: process.argv.slice(2), env, cwd: process.cwd() }));
  const { code, stdout, stderr } = JSON.parse(await text(socket));
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = code;
}
`;

/** Makes the folder `bin` of a clone. */
export function makeBin(folder: string): void {
  mkdirSync(join(folder, 'bin'));
  for (const name of readdirSync(join(PACKAGE_ROOT, 'bin')).filter((each) => each !== 'phial.mjs'))
    symlinkSync(join(PACKAGE_ROOT, 'bin', name), join(folder, 'bin', name));
  writeFileSync(join(folder, 'bin/phial.mjs'), FORWARDING);
}

/** Returns the variables with which commands of a folder run here. */
export async function serveCommands(
  folder: string,
): Promise<{ env: Record<string, string>; close: () => Promise<void> }> {
  const path = join(folder, 'commands');
  const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket)).listen(path);
  await once(server, 'listening');
  return {
    env: { [SOCKET]: path },
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(socket: Socket): Promise<void> {
  let sent = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    sent += part;
  });
  await once(socket, 'end');
  socket.end(JSON.stringify(await runAsShell(JSON.parse(sent) as Parameters<typeof runAsShell>[0])));
}
