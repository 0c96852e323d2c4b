/**
 * Thrown if we could not record the server of a new connection (see scoped-connection.ts). We use such a connection for
 * nothing else.
 */
export class UnrecordedServer extends Error {
  /** PostgreSQL's code for "cannot connect now". A retry may help. */
  readonly code = '57P03';

  constructor(cause: unknown) {
    super('The server of a new connection cannot be recorded.', { cause });
  }
}
