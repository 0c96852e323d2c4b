import { isDiskFull } from '../disk-space.ts';
import type { Logger } from '../log.ts';

/**
 * Ends the process after an uncaught error, because the state of the process is then unknown. Node would end it too,
 * but would print the error's message, which can quote a row. We log only the kind of the error and its stack frames.
 */
export function endOnFatalErrors(log: Logger): void {
  const end = (error: unknown, message: string): void => {
    log.fatal({ err: error }, isDiskFull(error) ? `a disk is full: ${message}` : message);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => end(error, 'an error that nobody caught ends the process'));
  process.on('unhandledRejection', (error) => end(error, 'a rejection that nobody caught ends the process'));
}
