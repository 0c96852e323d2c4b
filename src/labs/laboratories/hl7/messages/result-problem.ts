import type { Hl7Warning } from '@phial/hl7/message';

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
  'several_patients',
  'other_account',
  'patient_mismatch',
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
  'observation_without_request',
  'wrong_orc_1',
  'test_has_result',
  'order_under_way',
] as const;

/** What was taken as it stood, or left out, of a message that was applied: kept with the message for the operator. */
export type Warning = Hl7Warning | 'local_segment' | 'segment_left_out' | 'specimen_observation_left_out';
/** Filled while a message is read. */
export type Warnings = Set<Warning>;

/** A part of a message that could not be read: it is not in the report, and the rest is. */
export type Waiting = {
  reason: ResultProblemCode;
  /**
   * Which segment it is, by its name and its place in the message (MSH is 1). An OBR stands for all that follows it.
   */
  segment: string;
  number: number;
  /**
   * The place of its test in `report.tests`. Null where that is not known: an OBX before any OBR holds every test of
   * the message open, and an OBR that cannot be read its own.
   */
  test: number | null;
  /** The laboratory's codes of it (OBX-3, or OBR-4), for whoever has to map them. */
  codes: string[];
};

export const isRejected = (code: string): boolean => (REJECTED as readonly string[]).includes(code);
