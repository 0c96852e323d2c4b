import { isDiskFull } from '../disk-space.ts';
import type { Logger } from '../log.ts';

/**
 * What nobody caught ends the process, as it would without this: its state is not known any more. Node would print the
 * error with its message, which can quote a row; the log shows its kind and frames only.
 */
export function endOnFatalErrors(log: Logger): void {
  const end = (error: unknown, message: string): void => {
    log.fatal({ err: error }, isDiskFull(error) ? `a disk is full: ${message}` : message);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => end(error, 'an error that nobody caught ends the process'));
  process.on('unhandledRejection', (error) => end(error, 'a rejection that nobody caught ends the process'));
}
