/**
 * The provider refused the request, and would refuse it again. `code` is the provider's own code and names no person.
 */
export class ProviderRefused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The provider refused: ${code}.`);
    this.code = code;
  }
}

/** The provider did not respond, or its response cannot be read. A later try may succeed. */
export class ProviderUnavailable extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The provider could not be asked: ${code}.`);
    this.code = code;
  }
}

/**
 * Codes for which a later request may succeed. Those of Withings mean too many requests (601) and a timeout at Withings
 * (522).
 */
const TEMPORARY = new Set(['withings_601', 'withings_522', 'temporarily_unavailable', 'server_error']);

/** Throws if a response with status 200 contains an error. */
export function refuseError({ error }: Record<string, unknown>): void {
  if (error === undefined) return;
  const code = errorCodeOf(error) ?? 'unknown_error';
  throw TEMPORARY.has(code) ? new ProviderUnavailable(code) : new ProviderRefused(code);
}

/** Returns an error only if it looks like a code. A sentence of a provider could name a person. */
export const errorCodeOf = (error: unknown): string | null =>
  typeof error === 'string' && /^[a-z0-9_.-]{1,60}$/i.test(error) ? error : null;
