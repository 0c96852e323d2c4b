/**
 * The codes of all refusals of the service functions. `http/error-response.ts` has their statuses. Client programs rely
 * on a code, so its meaning never changes.
 */
export type ErrorCode =
  | 'not_found'
  | 'user_scheduled_for_deletion'
  | 'wrong_deployment'
  | 'sample_not_found'
  | 'results_not_available'
  | 'invalid_api_key'
  | 'invalid_session'
  | 'csrf_token_invalid'
  | 'wrong_environment'
  | 'wrong_key_kind'
  | 'insufficient_scope'
  | 'plan_required'
  | 'limit_reached'
  | 'closed_beta'
  | 'last_management_key'
  | 'key_not_bindable'
  | 'patient_experience_off'
  | 'role_bindings_mismatch'
  | 'invite_conflict'
  | 'domain_exists'
  | 'integration_member_id_conflict'
  | 'ehr_slug_taken'
  | 'unknown_feature'
  | 'modality_not_enabled'
  | 'team_not_bound'
  | 'modality_not_available'
  | 'slug_taken'
  | 'sandbox_only'
  | 'demo_clinic_exists'
  | 'demo_endpoint_failed'
  | 'client_user_id_conflict'
  | 'ingestion_range_invalid'
  | 'unknown_payor'
  | 'minor_ordering_disabled'
  | 'lab_test_not_orderable'
  | 'mixed_laboratories'
  | 'no_markers'
  | 'duplicate_markers'
  | 'order_set_ambiguous'
  | 'collection_method_not_offered'
  | 'lab_account_of_other_lab'
  | 'lab_account_taken'
  | 'mixed_collection_methods'
  | 'marker_not_orderable'
  | 'collection_method_required'
  | 'state_not_served'
  | 'minor_not_served'
  | 'primary_insurance_required'
  | 'icd_codes_required'
  | 'guarantor_required'
  | 'aoe_question_unknown'
  | 'aoe_answer_invalid'
  | 'aoe_answer_missing'
  | 'lab_account_not_active'
  | 'billing_type_not_allowed'
  | 'pre_flight_failed'
  | 'draw_not_expected'
  | 'order_not_cancellable'
  | 'order_not_changeable'
  | 'order_sent_to_laboratory'
  | 'order_not_replaceable'
  | 'order_already_replaced'
  | 'sample_already_registered'
  | 'sample_ambiguous'
  | 'laboratory_not_connected'
  | 'registration_required'
  | 'status_not_reachable'
  | 'author_required'
  | 'critical_result_not_acknowledged'
  | 'called_before_result'
  | 'unmatched_result_resolved'
  | 'unmatched_order_required'
  | 'order_takes_no_results'
  | 'report_of_other_patient'
  | 'collected_before_order'
  | 'message_not_waiting'
  | 'message_not_repairable'
  | 'message_not_changeable'
  | 'scheduler_not_connected'
  | 'scheduler_unavailable'
  | 'scheduler_news_invalid'
  | 'area_not_served'
  | 'start_date_too_far'
  | 'booking_key_invalid'
  | 'booking_key_expired'
  | 'booking_key_mismatch'
  | 'slot_taken'
  | 'order_method_mismatch'
  | 'order_takes_no_appointment'
  | 'appointment_already_booked'
  | 'appointment_not_reschedulable'
  | 'appointment_not_cancellable'
  | 'cancellation_note_required'
  | 'patient_address_missing'
  | 'too_many_matches'
  | 'too_many_samples'
  | 'nothing_to_refresh'
  | 'sample_of_other_user'
  | 'file_not_recognised'
  | 'file_too_large'
  | 'invalid_cursor'
  | 'cursor_expired'
  | 'too_many_polls'
  | 'too_many_mails'
  | 'events_not_kept'
  | 'webhook_url_refused'
  | 'webhook_address_refused'
  | 'webhook_headers_refused'
  | 'sink_not_available'
  | 'sink_not_configured'
  | 'pipeline_url_refused'
  | 'pipeline_address_refused'
  | 'webhook_disabled'
  | 'event_expired'
  | 'delivery_held'
  | 'too_many_attempts'
  | 'too_many_secrets'
  | 'team_id_taken'
  | 'integration_team_id_conflict'
  | 'export_running'
  | 'redirect_url_refused'
  | 'provider_not_connectable'
  | 'provider_not_deletable'
  | 'provider_not_pushable'
  | 'credentials_incomplete'
  | 'connector_not_available'
  | 'link_code_invalid'
  | 'signature_refused'
  | 'link_refused'
  | 'document_not_available'
  | 'document_too_long'
  | 'link_expiry_refused'
  | 'rate_limited'
  | 'idempotency_mismatch'
  | 'idempotency_in_flight'
  | 'idempotency_answer_ended'
  | 'not_ready'
  | 'storage_full'
  | 'encryption_key_unknown';

type Extra = {
  /** Replaces the text in `detail`. Set it for an error for which the API documents an object there. */
  detail?: object;
  /** Further properties of the response, in addition to `detail` and `code`. */
  fields?: Record<string, unknown>;
  /** The value of the Retry-After header. */
  retryAfterSeconds?: number;
};

/** A refusal. `message` is for people, and `code` is for programs. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly extra: Extra;

  constructor(code: ErrorCode, message: string, extra: Extra = {}) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.extra = extra;
  }
}

/** Ends a streamed response that has begun. Its status is already sent, so only the log has the reason. */
export class StreamEnded extends Error {
  readonly reason: 'stopping' | 'overtaken';

  constructor(reason: StreamEnded['reason']) {
    super(reason);
    this.name = 'StreamEnded';
    this.reason = reason;
  }
}

/** Returns the error for an unknown id. It is the same if the id belongs to another team. */
export const notFound = (what: string): AppError => new AppError('not_found', `${what} not found.`);
