import { createServer } from 'node:net';

/** Throws where another program listens already, in words that name the way out. */
export function refuseTakenPort(host: string, port: number, option: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken
          ? new Error(
              `Port ${port} of ${host} is taken by another program. Stop it, or choose another port: ${option}=${port + 1}.`,
            )
          : error,
      );
    });
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });
}
