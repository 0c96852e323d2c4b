import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** A request to the service ends before this time. */
const LONGEST_MS = 60_000;
const LOOK_EVERY_MS = 10;

/**
 * Makes the transport of the SDK. It stays open after stdin ends, until each request has its answer. So a shell that
 * pipes requests gets the answers. `untilAnswered` waits for them.
 */
export function openStdioTransport(): { transport: Transport; untilAnswered: () => Promise<void> } {
  const input = new PassThrough();
  process.stdin.pipe(input, { end: false });
  const inner = new StdioServerTransport(input);
  const unanswered = new Set<unknown>();
  const transport: Transport = {
    start: () => inner.start(),
    send: async (message) => {
      await inner.send(message);
      if (!('method' in message)) unanswered.delete(message.id);
    },
    close: () => inner.close(),
  };
  const onmessage = (message: JSONRPCMessage): void => {
    note(message, unanswered);
    transport.onmessage?.(message);
  };
  const onerror = (error: Error): void => transport.onerror?.(error);
  const onclose = (): void => transport.onclose?.();
  Object.assign(inner, { onmessage, onerror, onclose });
  const untilAnswered = async (): Promise<void> => {
    const until = performance.now() + LONGEST_MS;
    do await wait(LOOK_EVERY_MS);
    while ((input.readableLength > 0 || unanswered.size > 0) && performance.now() < until);
  };
  return { transport, untilAnswered };
}

/** A request waits for its answer until the assistant gives it up. */
function note(message: JSONRPCMessage, unanswered: Set<unknown>): void {
  if (!('method' in message)) return;
  if ('id' in message) unanswered.add(message.id);
  if (message.method === 'notifications/cancelled') unanswered.delete(message.params?.['requestId']);
}
