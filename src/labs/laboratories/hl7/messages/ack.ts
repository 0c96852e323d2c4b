import { acknowledge, type AckCode, type Condition } from '@phial/hl7/acknowledgment';
import type { Message, Segment } from '@phial/hl7/message';
import { ownProperty } from '../../../../wire/own-property.ts';

/**
 * Writes the acknowledgment of a message. `header` is null if we could not read the message's header. The reason code
 * is the only explanation that the laboratory gets.
 */
export const ackOf = (
  header: Segment | null,
  { code, reason, id }: { code: AckCode; reason: string | null; id: string },
): Message =>
  acknowledge(header, {
    code,
    id,
    error: reason === null ? null : { condition: ownProperty(CONDITION_OF, reason) ?? '207', text: reason },
  });

/**
 * The number of each of our reasons in HL7 table 0357, which lists error conditions. All other reasons get 207, an
 * error within our application.
 */
const CONDITION_OF: Readonly<Record<string, Condition>> = {
  no_header: '100',
  bad_segment: '100',
  missing_obx_11: '101',
  missing_number: '101',
  missing_report: '101',
  observation_without_request: '100',
  wrong_obr_25: '103',
  wrong_obx_11: '103',
  unmapped_code: '103',
  codes_disagree: '103',
  value_told_twice: '205',
  wrong_orc_1: '103',
  wrong_type: '200',
  wrong_version: '203',
  wrong_processing: '202',
  unknown_number: '204',
  other_account: '204',
  patient_mismatch: '204',
  several_orders: '204',
  several_patients: '204',
  wrong_encoding: '102',
  value_not_of_type: '102',
  document_broken: '102',
  bad_time: '102',
};
