import type { Hl7Warning } from '@phial/hl7/message';

/**
 * The reason why we cannot apply a result. The laboratory, the repair queue and the log get only its code, because a
 * text could contain personal data.
 */
export class ResultProblem extends Error {
  readonly code: ResultProblemCode;

  constructor(code: ResultProblemCode) {
    super(`the result cannot be applied: ${code}`);
    this.name = 'ResultProblem';
    this.code = code;
  }
}

export type ResultProblemCode = (typeof REJECTED)[number] | (typeof REPAIRABLE)[number];

/** Codes for messages that are not for us. We acknowledge them with AR (application reject). */
const REJECTED = ['wrong_type', 'wrong_version', 'wrong_processing', 'unknown_sender'] as const;

/** Codes for messages that are for us but have a problem. We acknowledge them with AE (application error). */
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

/**
 * Codes of parts of an applied message that we stored as the laboratory wrote them, or that we omitted. We store the
 * codes with the message for the operator.
 */
export type Warning = Hl7Warning | 'local_segment' | 'segment_left_out' | 'specimen_observation_left_out';
/** Collects warnings while a message is read. */
export type Warnings = Set<Warning>;

/** An unreadable part of a message. The report contains only the other parts. */
export type WaitingPart = {
  reason: ResultProblemCode;
  /**
   * The name of the segment and its position in the message. MSH has position 1. If the segment is an OBR, the part
   * includes all segments of the OBR.
   */
  segment: string;
  number: number;
  /**
   * The index of the part's test in `report.tests`. Null if we do not know the test, because an OBX comes before any
   * OBR. Then every test of the message stays open.
   */
  test: number | null;
  /** The laboratory's codes of this part (OBX-3 or OBR-4), for the person who maps codes. */
  codes: string[];
};

export const isRejected = (code: string): boolean => (REJECTED as readonly string[]).includes(code);
