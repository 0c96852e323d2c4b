import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Done, Work } from './samples-worker.ts';

/** A separate client process, whose cost is not the service's. */
export function work(work: Work): Promise<Done> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'samples-worker.js'));
    child.once('message', (done) => resolve(done as Done));
    child.once('exit', (code) => reject(new Error(`The client process ended with ${code}.`)));
    child.send(work);
  });
}
