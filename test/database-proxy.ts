import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A proxy to a database that a test can cut, mend and redirect, like an address that a failover moves. */
export type Way = {
  url: string;
  /** Ends every connection, and refuses new ones. */
  cut: () => void;
  /** Connections stay open, and no data passes. */
  swallow: () => void;
  mend: () => void;
  /** New connections reach another server, which has the same database, user and password. */
  leadTo: (url: string) => void;
  /** How many connections were tried while it was cut. */
  refused: () => number;
  close: () => void;
};

export async function openWay(url: string): Promise<Way> {
  const target = new URL(url);
  let [port, host] = [Number(target.port), target.hostname];
  const sockets = new Set<Socket>();
  let open = true;
  let refused = 0;
  const server = createServer((near) => {
    if (!open) {
      refused += 1;
      return void near.destroy();
    }
    const far = connect(port, host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  target.port = String((server.address() as AddressInfo).port);
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: target.href,
    cut: () => {
      open = false;
      destroyAll();
    },
    swallow: () => {
      for (const socket of sockets) socket.unpipe().resume();
    },
    mend: () => {
      open = true;
    },
    leadTo: (elsewhere) => {
      [port, host] = [Number(new URL(elsewhere).port), new URL(elsewhere).hostname];
    },
    refused: () => refused,
    close: () => {
      destroyAll();
      server.close();
    },
  };
}
