/**
 * All columns with personal data, and how we store each. The cipher accepts no other column, and `phial rotate-keys`
 * encrypts these columns again.
 * The columns are bytea and contain sealed values. A `packed` column contains long JSON texts, which we compress before
 * we seal them. `row` names the columns that identify the row. Their values never change, and the cipher binds them
 * into the sealed value, so a value that somebody copies into another row cannot be decrypted there. For orders, `row`
 * is only the order id, because an order can move to another user. `team` is the column with the id of the team or
 * organisation whose key seals the value. If a column was renamed, `boundAs` is its former name, to which stored values
 * are bound.
 */
export const SEALED_COLUMNS = {
  'users.fallback_birth_date': { as: 'text', row: ['id'], team: 'team_id' },
  'user_info.info': { as: 'json', row: ['user_id'], team: 'team_id' },
  'insurances.details': { as: 'json', row: ['id'], team: 'team_id' },
  'insurance_documents.content': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.personal': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.patient_details': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.patient_address': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.shipping_details': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.physician': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.consents': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.icd_codes': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.notes': { as: 'text', row: ['id'], team: 'team_id' },
  'orders.clinical_notes': { as: 'text', row: ['id'], team: 'team_id' },
  'orders.aoe_answers': { as: 'json', row: ['id'], team: 'team_id' },
  'orders.passthrough': { as: 'text', row: ['id'], team: 'team_id' },
  'order_notes.content': { as: 'json', row: ['id'], team: 'team_id' },
  'order_signatures.content': { as: 'json', row: ['order_id'], team: 'team_id' },
  'shipments.outbound_tracking_number': { as: 'text', row: ['id'], team: 'team_id' },
  'shipments.outbound_tracking_url': { as: 'text', row: ['id'], team: 'team_id' },
  'shipments.inbound_tracking_number': { as: 'text', row: ['id'], team: 'team_id' },
  'shipments.inbound_tracking_url': { as: 'text', row: ['id'], team: 'team_id' },
  'shipments.notes': { as: 'text', row: ['id'], team: 'team_id' },
  'appointments.site': { as: 'json', row: ['id'], team: 'team_id', boundAs: 'appointments.place' },
  'appointments.appointment_notes': { as: 'text', row: ['id'], team: 'team_id' },
  'scheduler_calls.content': { as: 'json', row: ['id'], team: 'team_id' },
  'appointment_events.data': { as: 'json', row: ['appointment_id', 'id'], team: 'team_id' },
  'lab_results.metadata': { as: 'json', row: ['order_id', 'version'], team: 'team_id' },
  'lab_results.results': { as: 'json', row: ['order_id', 'version'], team: 'team_id' },
  'lab_results.missing_results': { as: 'json', row: ['order_id', 'version'], team: 'team_id' },
  'lab_results.sample_information': { as: 'json', row: ['order_id', 'version'], team: 'team_id' },
  'lab_result_documents.content': { as: 'bytes', row: ['document_id', 'n'], team: 'team_id' },
  'critical_results.markers': { as: 'json', row: ['id'], team: 'team_id' },
  'critical_results.acknowledgement': { as: 'json', row: ['id'], team: 'team_id' },
  'critical_results.sign_off': { as: 'json', row: ['id'], team: 'team_id' },
  'unmatched_results.report': { as: 'json', row: ['id'], team: 'team_id' },
  'unmatched_results.note': { as: 'text', row: ['id'], team: 'team_id' },
  'unmatched_results.decided_by': { as: 'text', row: ['id'], team: 'team_id' },
  'hl7_outgoing.message': { as: 'text', row: ['id'], team: 'team_id' },
  'hl7_messages.raw': { as: 'text', row: ['id'], team: 'sealed_for' },
  'lab_report_chunks.content': {
    as: 'bytes',
    row: ['file_id', 'n'],
    team: 'team_id',
    boundAs: 'lab_report_pieces.content',
  },
  'lab_report_jobs.data': { as: 'json', row: ['id'], team: 'team_id' },
  'lab_report_jobs.as_read': { as: 'json', row: ['id'], team: 'team_id' },
  'sample_notes.text': { as: 'text', row: ['id'], team: 'team_id' },
  'connections.external_user_id': { as: 'text', row: ['user_id', 'provider'], team: 'team_id' },
  'token_revocations.tokens': { as: 'json', row: ['id'], team: 'team_id' },
  'oauth_states.code_verifier': { as: 'text', row: ['id'], team: 'team_id' },
  'team_credentials.client_secret': { as: 'text', row: ['id'], team: 'team_id' },
  'team_credentials.details': { as: 'json', row: ['id'], team: 'team_id' },
  'connections.tokens': { as: 'json', row: ['user_id', 'provider'], team: 'team_id' },
  'summaries.texts': { as: 'json', row: ['id'], team: 'team_id' },
  'summaries.raw': { as: 'json', row: ['id'], team: 'team_id' },
  'summary_streams.content': { as: 'text', row: ['summary_id', 'part'], team: 'team_id' },
  'continuous_query_results.result': { as: 'json', row: ['user_id', 'query_id'], team: 'team_id' },
  'events.body': { as: 'packed', row: ['id'], team: 'team_id' },
  'attempts.error': { as: 'text', row: ['id'], team: 'team_id' },
  'attempts.response_body': { as: 'text', row: ['id'], team: 'team_id' },
  'webhooks.headers': { as: 'json', row: ['id'], team: 'team_id' },
  'webhook_header_sets.headers': { as: 'json', row: ['id'], team: 'team_id' },
  'webhook_secrets.secret': { as: 'text', row: ['id'], team: 'team_id' },
  'ehr_pipelines.authentication': { as: 'json', row: ['team_id', 'ehr_type'], team: 'team_id' },
  'etl_pipelines.sinks': { as: 'json', row: ['team_id'], team: 'team_id' },
  'org_members.person': { as: 'json', row: ['id'], team: 'org_id' },
  'org_invites.email': { as: 'text', row: ['id'], team: 'org_id' },
  'ehr_members.person': { as: 'json', row: ['id'], team: 'org_id' },
  'mails.content': { as: 'json', row: ['id'], team: 'org_id' },
  'idempotency_keys.body': { as: 'text', row: ['operation', 'key'], team: 'scope_id' },
} as const satisfies Record<
  string,
  { as: 'text' | 'json' | 'packed' | 'bytes'; row: readonly string[]; team: string; boundAs?: string }
>;

type SealedColumns = typeof SEALED_COLUMNS;
export type SealedColumn = keyof SealedColumns;
type ColumnAs<As> = { [C in SealedColumn]: SealedColumns[C]['as'] extends As ? C : never }[SealedColumn];
export type TextColumn = ColumnAs<'text'>;
export type JsonColumn = ColumnAs<'json'>;
export type PackedColumn = ColumnAs<'packed'>;
export type BytesColumn = ColumnAs<'bytes'>;

/** Kinds of data that we find by a keyed hash. No column contains the text itself. */
export type LookupKind =
  /** user_search_hashes.hash: a user's whole e-mail address. */
  | 'email'
  /** user_search_hashes.hash: a user's phone number. */
  | 'phone_number'
  /** order_name_words.word_hash, user_search_hashes.hash: one word of a patient's, recipient's or user's name. */
  | 'name_word'
  /** org_members.words and org_invites.words: one word of a name or an email address, hashed for the organisation. */
  | 'person_word'
  /** org_members.email_hash and org_invites.email_hash: the complete email address, hashed for the organisation. */
  | 'person_email'
  /**
   * mails.reader_hash: the email address of a mail. The hash is the same for all organisations, because we count the
   * mails to one address.
   */
  | 'mail_reader'
  /**
   * org_members.address_hash and sign_in_requests.address_hash: the complete email address. The hash is the same for
   * all organisations, because whoever signs in names none.
   */
  | 'sign_in_address'
  /** State, nonce and verifier of a sign-in at an issuer. No column contains them. */
  | 'openid_check'
  /** sign_in_requests.network_hash: the network from which somebody asked for a link. */
  | 'sign_in_network'
  /** ehr_members.integration_member_hash: an EHR's own id of a person, hashed for the organisation. */
  | 'integration_member'
  /** order_name_words.word_hash, user_search_hashes.hash: a patient's or user's date of birth. */
  | 'birth_date'
  /** order_name_words.word_hash: the number under which a laboratory knows a sample. */
  | 'specimen_number'
  /** samples.extra: the text of a note. */
  | 'note'
  /** sample_records.record: a user, a provider and the provider's id of a record. */
  | 'sample_record'
  /** The name of an app or a device in an imported file, hashed for the user. */
  | 'source'
  /**
   * team_credentials.client_secret_hash: the secret of a team's own application. By the hash, a list shows that the
   * secret changed.
   */
  | 'client_secret'
  /**
   * connections.external_user_hash: a provider's own id of a user. It is hashed for the provider and not for the team.
   */
  | 'external_user'
  /** The token in the URL of a demo clinic's endpoint. No column contains it. */
  | 'demo_endpoint'
  /**
   * appointment_slots.site_hash: the place of an appointment. For a visit at home, it is the company and the zip code.
   * Otherwise it is the company and its code of the center.
   */
  | 'appointment_place'
  /** idempotency_keys.request_hash: all input of a request. */
  | 'request'
  /** tracking_numbers and carrier_scans: the number of a parcel. The hash is the same for all teams. */
  | 'tracking_number'
  /** hl7_messages.content_hash: a message of a laboratory. It is hashed for the deployment and not for a team. */
  | 'hl7_message'
  /** inbox.hash: a notification of a provider, exactly as we received it. */
  | 'news'
  /** unmatched_results.report_hash: a report, exactly as we received it. */
  | 'lab_report'
  /** Hashes of a summary: of all its fields, of its raw payload, and of its stream. */
  | 'summary';
