import { isDiskFull } from '../disk-space.ts';
import { isUnavailable } from '../db/session/unavailable.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { MissingEncryptionKey } from '../privacy/missing-encryption-key.ts';

/** The error codes of the HTTP layer itself, with their texts. */
const TRANSPORT = {
  bad_request: 'The request is not well-formed HTTP.',
  route_not_found: 'There is no such path. GET /openapi.json lists every operation.',
  method_not_allowed: 'This path does not accept that method. The Allow header lists the methods that it accepts.',
  request_timeout: 'The request did not arrive in time.',
  body_too_large: 'The body is larger than this service accepts.',
  uri_too_long: 'The address is longer than this service accepts.',
  unsupported_media_type: 'The body must be JSON, with the header content-type: application/json.',
  validation_failed: 'The request is not valid.',
  headers_too_large: 'The headers are larger than this service accepts.',
  internal_error: 'Something went wrong on our side. Search the log for the request id.',
} as const;

export type Code = ErrorCode | keyof typeof TRANSPORT;

/** The status of every code. The compiler checks that no code is missing. */
const STATUS = {
  bad_request: 400,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  validation_failed: 422,
  headers_too_large: 431,
  internal_error: 500,
  not_found: 404,
  user_scheduled_for_deletion: 404,
  wrong_deployment: 404,
  sample_not_found: 404,
  results_not_available: 404,
  invalid_api_key: 401,
  invalid_session: 401,
  csrf_token_invalid: 403,
  wrong_environment: 401,
  wrong_key_kind: 401,
  insufficient_scope: 403,
  plan_required: 403,
  limit_reached: 403,
  closed_beta: 403,
  last_management_key: 400,
  key_not_bindable: 400,
  patient_experience_off: 400,
  role_bindings_mismatch: 400,
  invite_conflict: 409,
  domain_exists: 409,
  integration_member_id_conflict: 409,
  ehr_slug_taken: 409,
  unknown_feature: 400,
  modality_not_enabled: 400,
  team_not_bound: 400,
  modality_not_available: 400,
  slug_taken: 400,
  sandbox_only: 403,
  demo_clinic_exists: 409,
  demo_endpoint_failed: 500,
  client_user_id_conflict: 400,
  ingestion_range_invalid: 400,
  unknown_payor: 400,
  minor_ordering_disabled: 400,
  lab_test_not_orderable: 400,
  mixed_laboratories: 400,
  no_markers: 400,
  duplicate_markers: 400,
  order_set_ambiguous: 400,
  collection_method_not_offered: 400,
  lab_account_of_other_lab: 400,
  lab_account_taken: 400,
  mixed_collection_methods: 400,
  marker_not_orderable: 400,
  collection_method_required: 400,
  state_not_served: 400,
  minor_not_served: 400,
  primary_insurance_required: 400,
  icd_codes_required: 400,
  guarantor_required: 400,
  aoe_question_unknown: 400,
  aoe_answer_invalid: 400,
  aoe_answer_missing: 400,
  lab_account_not_active: 400,
  billing_type_not_allowed: 400,
  pre_flight_failed: 400,
  draw_not_expected: 400,
  order_not_cancellable: 400,
  order_not_changeable: 400,
  order_sent_to_laboratory: 400,
  order_not_replaceable: 400,
  order_already_replaced: 409,
  sample_already_registered: 400,
  sample_ambiguous: 400,
  laboratory_not_connected: 400,
  registration_required: 400,
  status_not_reachable: 400,
  author_required: 400,
  critical_result_not_acknowledged: 409,
  called_before_result: 422,
  unmatched_result_resolved: 400,
  unmatched_order_required: 400,
  order_takes_no_results: 400,
  report_of_other_patient: 400,
  collected_before_order: 400,
  message_not_waiting: 400,
  message_not_repairable: 400,
  message_not_changeable: 400,
  scheduler_not_connected: 400,
  scheduler_unavailable: 503,
  scheduler_news_invalid: 422,
  area_not_served: 400,
  start_date_too_far: 400,
  booking_key_invalid: 400,
  booking_key_expired: 400,
  booking_key_mismatch: 400,
  slot_taken: 400,
  order_method_mismatch: 400,
  order_takes_no_appointment: 400,
  appointment_already_booked: 400,
  appointment_not_reschedulable: 400,
  appointment_not_cancellable: 400,
  cancellation_note_required: 400,
  patient_address_missing: 400,
  too_many_matches: 400,
  too_many_samples: 400,
  nothing_to_refresh: 400,
  sample_of_other_user: 422,
  file_not_recognised: 422,
  file_too_large: 413,
  invalid_cursor: 422,
  cursor_expired: 410,
  too_many_polls: 429,
  too_many_mails: 429,
  webhook_url_refused: 422,
  webhook_address_refused: 400,
  sink_not_available: 400,
  sink_not_configured: 400,
  pipeline_url_refused: 422,
  pipeline_address_refused: 400,
  webhook_headers_refused: 422,
  webhook_disabled: 400,
  event_expired: 400,
  events_not_kept: 400,
  delivery_held: 400,
  too_many_attempts: 400,
  too_many_secrets: 400,
  team_id_taken: 409,
  integration_team_id_conflict: 409,
  export_running: 409,
  redirect_url_refused: 400,
  provider_not_connectable: 400,
  provider_not_deletable: 403,
  provider_not_pushable: 403,
  credentials_incomplete: 400,
  connector_not_available: 400,
  link_code_invalid: 400,
  signature_refused: 401,
  link_refused: 403,
  document_not_available: 404,
  document_too_long: 400,
  link_expiry_refused: 422,
  rate_limited: 429,
  idempotency_mismatch: 409,
  idempotency_in_flight: 409,
  idempotency_answer_ended: 409,
  not_ready: 503,
  storage_full: 503,
  encryption_key_unknown: 503,
} as const satisfies Record<Code, number>;

/** A status with which the service refuses. */
export type RefusalStatus = (typeof STATUS)[Code];

const KEY_UNKNOWN =
  'This value is sealed under a key that this process does not have. Try again shortly: another process may ' +
  'have the key.';

export const CODES = Object.keys(STATUS) as Code[];

export const statusOf = (code: Code): RefusalStatus => STATUS[code];

export type ErrorResponse = {
  status: number;
  body: { detail: unknown; code: Code; request_id: string } & Record<string, unknown>;
  /** The value of the Retry-After header. */
  retryAfterSeconds?: number;
};

/** One entry of the `detail` of a 422. */
export type Problem = { type: string; loc: (string | number)[]; msg: string; input?: unknown };

/** An error for a 422 that lists every problem of the request. */
export class InvalidRequest extends Error {
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super('The request is not valid.');
    this.problems = problems;
  }
}

/** A refusal before the operation's `handle` runs. */
export class TransportError extends Error {
  readonly code: keyof typeof TRANSPORT;
  readonly statusCode: number;

  constructor(code: keyof typeof TRANSPORT, detail: string = TRANSPORT[code]) {
    super(detail);
    this.code = code;
    this.statusCode = STATUS[code];
  }
}

/** The code for each status. Fastify's own errors have a status but no code of ours. */
const BY_STATUS = new Map<number, keyof typeof TRANSPORT>(
  (Object.keys(TRANSPORT) as (keyof typeof TRANSPORT)[]).map((code) => [STATUS[code], code] as const),
);

/** Returns the response for `error`, or null if the error is unexpected and its text must not reach the caller. */
export function errorResponse(error: unknown, requestId: string): ErrorResponse | null {
  if (error instanceof AppError) {
    const { detail, fields, retryAfterSeconds } = error.extra;
    return {
      status: STATUS[error.code],
      body: { detail: detail ?? error.message, code: error.code, request_id: requestId, ...fields },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
  }
  if (error instanceof InvalidRequest) {
    return { status: 422, body: { detail: error.problems, code: 'validation_failed', request_id: requestId } };
  }
  if (error instanceof TransportError) {
    return { status: error.statusCode, body: { detail: error.message, code: error.code, request_id: requestId } };
  }
  if (error instanceof MissingEncryptionKey) {
    const { code } = error;
    return { status: STATUS[code], body: { detail: KEY_UNKNOWN, code, request_id: requestId } };
  }
  if (isUnavailable(error)) {
    const detail = isDiskFull(error)
      ? 'The disk of the database has no space left. Try again once there is some.'
      : 'The database cannot be reached, or is too busy. Try again shortly.';
    return { status: STATUS.not_ready, body: { detail, code: 'not_ready', request_id: requestId } };
  }
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status === 503) {
    const detail = 'The service is starting or stopping. Try again shortly.';
    return { status, body: { detail, code: 'not_ready', request_id: requestId } };
  }
  const code = status < 500 ? BY_STATUS.get(status) : undefined;
  return code ? { status, body: { detail: TRANSPORT[code], code, request_id: requestId } } : null;
}

export const unexpectedResponse = (requestId: string): ErrorResponse => ({
  status: 500,
  body: { detail: TRANSPORT.internal_error, code: 'internal_error', request_id: requestId },
});
