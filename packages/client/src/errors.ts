import type { Code } from './codes.ts';

/** A code of a refusal. New codes can be added, so a program must accept one that it does not know. */
export type ErrorCode = Code;

/** The body of a refusal. */
type Refusal = { code: string; detail: unknown; request_id: string };

/** A refusal of the service. `Codes` are the codes that the operation declares. */
export class PhialError<Codes extends string = ErrorCode> extends Error {
  override readonly name = 'PhialError';
  /** Says for programs what was refused, such as `not_found`. A code never changes its meaning. */
  readonly code: Codes;
  /** A text, a list of problems, or an object that the operation declares. */
  readonly detail: unknown;
  /** The id of the request in the log of the service. */
  readonly requestId: string;
  readonly status: number;

  constructor({ code, detail, request_id }: Refusal, status: number) {
    super(`${status} ${code}: ${textOf(detail)} (request ${request_id})`);
    this.code = code as Codes;
    this.detail = detail;
    this.requestId = request_id;
    this.status = status;
  }

  /** True if the refusal has one of these codes. */
  is<Code extends Codes>(...codes: Code[]): this is PhialError<Code> {
    return (codes as string[]).includes(this.code);
  }
}

/** What a method of the client returns. */
type Result = { data?: unknown; error?: unknown; response: Response };

type Body<Of extends Result> = Of extends { data: infer Data; error?: undefined } ? Data : never;

/**
 * Returns the body of a success. Throws PhialError for a refusal.
 *
 * @example const user = await unwrap(phial.GET('/v2/user/{user_id}', { params: { path: { user_id } } }));
 */
export async function unwrap<Of extends Result>(result: Promise<Of>): Promise<Body<Of>> {
  const { data, error, response } = await result;
  if (response.ok) return data as Body<Of>;
  throw new PhialError(refusalOf(error, response), response.status);
}

/** A proxy before the service may answer with a body that is none of ours. */
function refusalOf(error: unknown, response: Response): Refusal {
  if (typeof error === 'object' && error !== null && 'code' in error && 'request_id' in error) return error as Refusal;
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
  const detail = isRedirect
    ? 'The answer is a redirect. The client follows none, because another host would get the key.'
    : `The answer is not from the service: ${response.statusText || 'no text'}.`;
  return { code: 'unknown_answer', detail, request_id: response.headers.get('x-request-id') ?? 'unknown' };
}

function textOf(detail: unknown): string {
  return typeof detail === 'string' ? detail : JSON.stringify(detail);
}
