import type { Candidate } from './candidates.ts';
import type { DECISION_CODES } from './schemas.ts';

type DecisionCode = (typeof DECISION_CODES)[number];
export type Decision = { decision_code: DecisionCode; sub_reason_codes: string[] };

/** Derives from the most probable candidate why a person must decide to which order the report belongs. */
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

/** The texts for the decision codes. The person who decides reads them. */
export const REASONS: Record<DecisionCode, string> = {
  match_sample_id: 'The sample id is that of an order, but the laboratory gave none of the numbers of the order.',
  match_completed: 'The report names an order that has its results already.',
  match_cancelled: 'The report names an order that was cancelled.',
  wrong_collection: 'The order that the report names cannot take results in its current state.',
  wrong_lab: 'The order that the report names belongs to another laboratory.',
  multiple_demo_match: 'The report names no order. Several users have orders with the same name and date of birth.',
  match_sample_id_mismatch_demo: 'The patient of the order that the report names was born on another day.',
  match_demo: 'The report names no order. One user has orders with the same name and date of birth.',
  no_match: 'The report names no order, and no order of the team matches.',
};
