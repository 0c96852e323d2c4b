import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describeUnanswered, withRemote } from '../remote/with-remote.ts';
import { makeServer } from './server.ts';
import { openStdioTransport } from './stdio-transport.ts';

type McpOptions = { url: string | undefined; key: string | undefined };

/**
 * Serves the Model Context Protocol on stdin and stdout until stdin ends. An assistant starts the command, so nothing
 * else may be written to stdout.
 */
export async function mcpCommand(values: McpOptions): Promise<number> {
  return withRemote('mcp', values, async ({ baseUrl, team }) => {
    const phial = team();
    const describeError = (error: unknown): Error => describeUnanswered(error, baseUrl);
    const { transport, untilAnswered } = openStdioTransport();
    const server = serveStdio(() => makeServer(phial, describeError), {
      transport,
      onerror: ({ message }) => console.error(message),
    });
    if (process.stdin.isTTY) console.error(`Serving ${baseUrl} to an assistant on stdin and stdout. Ctrl-C ends it.`);
    const signals = ['SIGINT', 'SIGTERM'].map((signal) => once(process, signal));
    await Promise.race([once(process.stdin, 'end').then(untilAnswered), ...signals]);
    await server.close();
    // An open stdin would keep the process alive after a signal.
    process.stdin.destroy();
    return 0;
  });
}
