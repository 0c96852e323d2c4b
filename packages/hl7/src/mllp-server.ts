// The server of MLLP connections. It receives messages and replies to each.
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { MOST } from './message.ts';
import { openFrameReader } from './mllp-frames.ts';
import { writeFrame } from './write-frame.ts';

/**
 * The most connections of the server, and of one address. A connection counts as soon as it is accepted, before the
 * peer has sent a byte. A peer needs few connections.
 */
const MAX_CONNECTIONS = 64;
const MAX_OF_ADDRESS = 16;
/**
 * How long a connection may be silent, in milliseconds. Peers keep connections open between messages. After this time
 * the peer has probably gone.
 */
const IDLE_MS = 30 * 60_000;
/** The longest time in milliseconds from the first to the last byte of a message. */
const MESSAGE_MS = 60_000;
const HANDSHAKE_MS = 10_000;

export type Peer = {
  /** Handles a message and returns the replies. */
  take: (content: Buffer) => Promise<Buffer[]>;
  /**
   * Called with the error that ended the connection. An error of the socket or of a frame has a `code`. Any other error
   * comes from `take`.
   */
  onError: (error: unknown) => void;
};

export type MllpServerOptions = {
  host: string;
  port: number;
  /** The certificate and key in PEM. With `ca`, a peer must have a certificate that this authority has signed. */
  tls: { cert: Buffer; key: Buffer; ca: Buffer | null } | null;
  /** Returns whether this address may connect. Called before the TLS handshake. */
  admit: (socket: Socket) => Promise<boolean>;
  /**
   * Returns the peer of an admitted connection; null to close the connection. With `tls`, the socket is a TLSSocket.
   */
  identify: (socket: Socket) => Promise<Peer | null>;
  /** Called when a connection fails before its peer is known. */
  onError: (error: unknown) => void;
};

export type MllpServer = { port: number; close: () => Promise<void> };

/** Starts a server. It listens until `close`. */
export async function listenByMllp(options: MllpServerOptions): Promise<MllpServer> {
  const { host, port, tls, admit, identify, onError } = options;
  const open = new Set<Socket>();
  const guarded =
    (next: (socket: Socket) => unknown) =>
    (socket: Socket): void => {
      socket.on('error', () => socket.destroy());
      void (async () => next(socket))().catch((error: unknown) => {
        onError(error);
        socket.destroy();
      });
    };
  const begin = guarded(async (socket) => {
    const peer = await identify(socket);
    if (peer === null) return void socket.destroy();
    await speak(socket, peer);
  });
  const handshakes = tls
    ? createTlsServer(
        {
          cert: tls.cert,
          key: tls.key,
          ...(tls.ca === null ? {} : { ca: tls.ca, requestCert: true, rejectUnauthorized: true }),
          handshakeTimeout: HANDSHAKE_MS,
        },
        begin,
      )
    : null;
  handshakes?.on('tlsClientError', () => undefined); // Node has already closed the connection.
  // The limit for each address comes first, so that one address cannot use up all connections. A peer that may not
  // connect gives its connection back at once.
  const accept = guarded(async (socket) => {
    if (ofAddress(open, socket) >= MAX_OF_ADDRESS) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (!(await admit(socket))) return void socket.destroy();
    if (handshakes) handshakes.emit('connection', socket);
    else begin(socket);
  });
  const server: Server = createTcpServer(accept);
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.end();
      setTimeout(() => open.forEach((socket) => socket.destroy()), 1_000).unref();
      await closed;
    },
  };
}

const ofAddress = (open: Set<Socket>, { remoteAddress }: Socket): number =>
  [...open].filter((socket) => socket.remoteAddress === remoteAddress).length;

/** Serves one connection. Each message gets its reply before the next one is read. */
async function speak(socket: Socket, { take, onError }: Peer): Promise<void> {
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  const reader = openFrameReader(MOST.bytes);
  let late: NodeJS.Timeout | undefined;
  try {
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      for (const content of reader.push(bytes)) {
        for (const response of await take(content)) await writeFrame(socket, response);
      }
      if (!reader.isWithin()) {
        clearTimeout(late);
        late = undefined;
      } else late ??= setTimeout(() => socket.destroy(), MESSAGE_MS);
    }
  } catch (error) {
    onError(error);
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}
