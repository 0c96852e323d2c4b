/** The provider says no: asking again in the same way is no use. `code` is its own, and names nobody. */
export class ProviderRefused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The provider refused: ${code}.`);
    this.code = code;
  }
}

/** The provider gave no answer, or one that nobody can read: it may be asked again later. */
export class ProviderUnavailable extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The provider could not be asked: ${code}.`);
    this.code = code;
  }
}
