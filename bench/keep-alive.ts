// The cheapest HTTP client there is: what the generator of a load costs is missing to the service on the same cores.
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** Opens a connection that sends a request again and again, or what `request` makes, one at a time; `send` gives the status. */
export async function openKeepAlive(
  baseUrl: string,
  request: Buffer | (() => Buffer),
): Promise<{ send: () => Promise<number>; close: () => void }> {
  const { hostname, port } = new URL(baseUrl);
  const socket = await connected(Number(port), hostname);
  let received: Buffer | null = null;
  let resolve = (_status: number): void => undefined;
  let reject = (_error: Error): void => undefined;
  socket.on('data', (chunk: Buffer) => {
    received = received === null ? chunk : Buffer.concat([received, chunk]);
    const status = statusOfWhole(received);
    if (status === null) return;
    received = null;
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

/** Null until the answer has arrived to its end. */
function statusOfWhole(bytes: Buffer): number | null {
  const endOfHead = bytes.indexOf(END_OF_HEAD);
  if (endOfHead === -1) return null;
  const head = bytes.toString('latin1', 0, endOfHead);
  const bodyLength = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  return bytes.length >= endOfHead + END_OF_HEAD.length + bodyLength ? Number(head.slice(9, 12)) : null;
}

function connected(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}
