import type { Candidate } from './candidates.ts';
import type { DECISION_CODES } from './schemas.ts';

type DecisionCode = (typeof DECISION_CODES)[number];
export type Decision = { decision_code: DecisionCode; sub_reason_codes: string[] };

/** Why a report waits for a person, by the order that speaks most for itself. */
export function decide(candidates: Candidate[]): Decision {
  const named = candidates.find(({ candidate_type }) => candidate_type === 'provenance_order');
  const leading = named ?? candidates[0];
  return {
    decision_code: named ? codeOfNamed(named) : codeOfOptions(candidates),
    sub_reason_codes: leading?.reasons.includes('lab_account_mismatch') ? ['lab_account_mismatch'] : [],
  };
}

function codeOfNamed({ reasons }: Candidate): DecisionCode {
  if (reasons.includes('demographic_mismatch')) return 'match_sample_id_mismatch_demo';
  if (reasons.includes('possible_wrong_lab')) return 'wrong_lab';
  if (reasons.includes('matched_cancelled_order')) return 'match_cancelled';
  if (reasons.includes('matched_completed_order')) return 'match_completed';
  if (reasons.includes('invalid_collection_state')) return 'wrong_collection';
  return 'match_sample_id';
}

function codeOfOptions(candidates: Candidate[]): DecisionCode {
  if (candidates.length === 0) return 'no_match';
  return new Set(candidates.map(({ user_id }) => user_id)).size > 1 ? 'multiple_demo_match' : 'match_demo';
}

/** The codes in words, for who has to decide. */
export const REASONS: Record<DecisionCode, string> = {
  match_sample_id: 'The sample id is that of an order, but the laboratory gave none of the numbers of the order.',
  match_completed: 'The report names an order which has its results already.',
  match_cancelled: 'The report names an order which was cancelled.',
  wrong_collection: 'The order that the report names takes no results as it stands.',
  wrong_lab: 'The order that the report names is one of another laboratory.',
  multiple_demo_match: 'Name and date of birth are those of orders of several users.',
  match_sample_id_mismatch_demo: 'The order that the report names is of somebody born on another day.',
  match_demo: "Name and date of birth are those of a user's order.",
  no_match: 'No order of the team fits.',
};
