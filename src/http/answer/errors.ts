import { AppError, type ErrorCode } from '../../errors.ts';
import type { Problem } from '../input/validation.ts';

/** The status of every refusal; the compiler holds the table complete. */
const STATUS: Record<ErrorCode, number> = {
  not_found: 404,
  user_scheduled_for_deletion: 404,
  wrong_deployment: 404,
  sample_not_found: 404,
  results_not_available: 404,
  invalid_api_key: 401,
  wrong_environment: 401,
  wrong_key_kind: 401,
  insufficient_scope: 403,
  plan_required: 403,
  limit_reached: 403,
  sandbox_only: 403,
  client_user_id_conflict: 400,
  ingestion_range_invalid: 400,
  unknown_payor: 400,
  guarantor_required: 400,
  minor_ordering_disabled: 400,
  lab_test_not_orderable: 400,
  order_not_cancellable: 400,
  order_not_changeable: 400,
  sample_already_registered: 400,
  registration_required: 400,
  status_not_reachable: 400,
  too_many_matches: 400,
  invalid_cursor: 422,
  webhook_url_refused: 400,
  webhook_headers_refused: 422,
  unknown_event_type: 400,
  too_many_secrets: 400,
  insurance_required: 400,
  team_id_conflict: 409,
  integration_team_id_conflict: 409,
  idempotency_mismatch: 409,
  idempotency_in_flight: 409,
  not_ready: 503,
};

/** What the transport itself refuses. */
const TRANSPORT: Record<number, [code: string, detail: string]> = {
  400: ['bad_request', 'The request is not well-formed HTTP.'],
  404: ['route_not_found', 'There is no such path. GET /openapi.json lists every operation.'],
  405: ['method_not_allowed', 'This path does not take that method. The Allow header lists what it takes.'],
  408: ['request_timeout', 'The request did not arrive in time.'],
  413: ['body_too_large', 'The body is larger than this service accepts.'],
  414: ['uri_too_long', 'The address is longer than this service accepts.'],
  415: ['unsupported_media_type', 'The body must be JSON, with the header content-type: application/json.'],
  431: ['headers_too_large', 'The headers are larger than this service accepts.'],
  503: ['not_ready', 'The service is starting or stopping. Try again shortly.'],
};

export type ErrorAnswer = {
  status: number;
  body: { detail: unknown; code: string; request_id: string } & Record<string, unknown>;
};

/** A 422 with every problem of the request. */
export class InvalidRequest extends Error {
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super('The request is not valid.');
    this.problems = problems;
  }
}

/** A refusal before any handler ran. */
export class TransportError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super(TRANSPORT[statusCode]?.[1] ?? 'The request was refused.');
    this.statusCode = statusCode;
  }
}

/** The codes that operations answer with `status`, as their documentation lists them. */
export function codesOf(status: number): string[] {
  const codes = Object.entries(STATUS)
    .filter(([, each]) => each === status)
    .map(([code]) => code);
  return status === 422 ? ['validation_failed', ...codes] : codes;
}

/** The answer to `error`; null where it is none that a caller may read. */
export function errorAnswer(error: unknown, requestId: string): ErrorAnswer | null {
  if (error instanceof AppError) {
    const { detail, fields } = error.extra;
    return {
      status: STATUS[error.code],
      body: { detail: detail ?? error.message, code: error.code, request_id: requestId, ...fields },
    };
  }
  if (error instanceof InvalidRequest) {
    return { status: 422, body: { detail: error.problems, code: 'validation_failed', request_id: requestId } };
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  const [code, detail] = TRANSPORT[status] ?? [];
  if (code === undefined) return null;
  return { status, body: { detail, code, request_id: requestId } };
}

/** What a caller reads of an error that nobody foresaw. */
export const unexpectedAnswer = (requestId: string): ErrorAnswer => ({
  status: 500,
  body: {
    detail: 'Something went wrong on our side. The request id finds it in the log.',
    code: 'internal_error',
    request_id: requestId,
  },
});
