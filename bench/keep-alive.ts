// An HTTP client that needs very little processor time, because the measured service runs on the same cores.
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/**
 * Opens a connection for one request at a time. `send` sends the request, or the result of the function `request`, and
 * returns the status of the response.
 */
export async function openKeepAlive(
  baseUrl: string,
  request: Buffer | (() => Buffer),
): Promise<{ send: () => Promise<number>; close: () => void }> {
  const { hostname, port } = new URL(baseUrl);
  const socket = await connected(Number(port), hostname);
  let head: Buffer | null = null;
  let status = 0;
  /** How many bytes of the response are missing. Null until its head is complete. */
  let missing: number | null = null;
  let resolve = (_status: number): void => undefined;
  let reject = (_error: Error): void => undefined;
  socket.on('data', (chunk: Buffer) => {
    if (missing === null) {
      head = head === null ? chunk : Buffer.concat([head, chunk]);
      const begun = readHead(head);
      if (begun === null) return;
      ({ status, missing } = begun);
    } else missing -= chunk.length;
    if (missing > 0) return;
    head = missing = null;
    resolve(status);
  });
  socket.on('error', (error) => reject(error));
  socket.on('close', () => reject(new Error('The service closed the connection.')));
  return {
    send: () =>
      new Promise<number>((onStatus, onError) => {
        resolve = onStatus;
        reject = onError;
        socket.write(typeof request === 'function' ? request() : request);
      }),
    close: () => {
      socket.destroy();
    },
  };
}

/** Returns the status, and the number of missing bytes. Null until the whole head has arrived. */
function readHead(bytes: Buffer): { status: number; missing: number } | null {
  const endOfHead = bytes.indexOf(END_OF_HEAD);
  if (endOfHead === -1) return null;
  const head = bytes.toString('latin1', 0, endOfHead);
  const bodyLength = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  return { status: Number(head.slice(9, 12)), missing: endOfHead + END_OF_HEAD.length + bodyLength - bytes.length };
}

function connected(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}
