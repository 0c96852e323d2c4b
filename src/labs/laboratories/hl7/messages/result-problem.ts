/** Why a result cannot be taken as it is. The code goes to the laboratory, the queue and the log; nothing else does. */
export class ResultProblem extends Error {
  readonly code: ResultProblemCode;

  constructor(code: ResultProblemCode) {
    super(`the result cannot be taken: ${code}`);
    this.name = 'ResultProblem';
    this.code = code;
  }
}

export type ResultProblemCode = (typeof REJECTED)[number] | (typeof REPAIRABLE)[number];

/** No message for us: answered by AR. */
const REJECTED = ['wrong_type', 'wrong_version', 'wrong_processing', 'unknown_sender'] as const;

/** A message for us with something in it that is not right: answered by AE. */
const REPAIRABLE = [
  'missing_control_id',
  'missing_report',
  'missing_number',
  'unknown_number',
  'several_orders',
  'other_account',
  'other_patient',
  'order_ended',
  'missing_obx_11',
  'wrong_obx_11',
  'wrong_obr_25',
  'value_not_of_type',
  'bad_time',
  'missing_code',
  'unmapped_code',
  'codes_disagree',
  'value_told_twice',
  'document_without_values',
  'document_broken',
  'document_too_large',
  'too_many_documents',
  'too_many_observations',
  'too_many_samples',
  'user_scheduled_for_deletion',
] as const;

export const isRejected = (code: string): boolean => (REJECTED as readonly string[]).includes(code);
