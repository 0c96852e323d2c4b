import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Done, Work } from './samples-worker.ts';

/** Runs the client in a separate process, so that its processor time does not count as that of the service. */
export function work(work: Work): Promise<Done> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'samples-worker.js'));
    child.once('message', (done) => resolve(done as Done));
    child.once('exit', (code) => reject(new Error(`The client process ended with ${code}.`)));
    child.send(work);
  });
}
