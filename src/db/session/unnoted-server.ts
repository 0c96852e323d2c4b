/** The server of a new connection cannot be noted: until it is, nothing is read or written there (record 379). */
export class UnnotedServer extends Error {
  /** PostgreSQL's "cannot connect now": trying again may help. */
  readonly code = '57P03';

  constructor(cause: unknown) {
    super('The server of a new connection cannot be noted.', { cause });
  }
}
