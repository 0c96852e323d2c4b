/**
 * The error if we could not record the server of a new connection. We use no such connection until we have recorded the
 * server.
 */
export class UnrecordedServer extends Error {
  /** PostgreSQL's code for "cannot connect now". A retry may help. */
  readonly code = '57P03';

  constructor(cause: unknown) {
    super('The server of a new connection cannot be recorded.', { cause });
  }
}
