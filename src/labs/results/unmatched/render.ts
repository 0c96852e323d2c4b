import type { Static } from 'typebox';
import { interpret, worstOf } from '../interpretation/interpret.ts';
import { readValue } from '../interpretation/read-value.ts';
import type { LabReport } from '../lab-report.ts';
import { REASONS } from './decide.ts';
import type { Unmatched } from './load-unmatched.ts';
import type { UnmatchedResult } from './schemas.ts';

type UnmatchedBody = Static<typeof UnmatchedResult>;

export function renderUnmatched({ report, candidates, user_id, ...unmatched }: Unmatched): UnmatchedBody {
  const values = report.observations.filter(({ status }) => status !== 'withdrawn');
  return {
    ...unmatched,
    reason: REASONS[unmatched.decision_code],
    patient: report.patient,
    sample_ids: [...new Set(report.samples.map(({ sample_id }) => sample_id))],
    collected_at: report.collected_at?.timestamp ?? null,
    markers: values.map(({ code, name, text, unit, reference_range }) => ({
      provider_id: code,
      name,
      result: text,
      unit,
      reference_range,
    })),
    decision: unmatched.status === 'resolved' ? (user_id === null ? 'rejected' : 'accepted') : null,
    interpretation: worstOfReport(report),
    result_status: report.status === 'partial' ? 'partial' : 'final',
    allowed_actions: ACTIONS[unmatched.status],
    candidate_groups: groupByUser(candidates),
  };
}

/**
 * The actions that are possible in each status. If the team was unsure, the operator of the service decides with the
 * same operations.
 */
const ACTIONS: Record<UnmatchedBody['status'], UnmatchedBody['allowed_actions']> = {
  matched: [],
  pending_customer_review: ['accept', 'reject', 'unsure'],
  pending_ops_review: ['accept', 'reject'],
  resolved: [],
};

/** Returns the interpretation of the worst value of a report. Returns null if the report has no value. */
export function worstOfReport({ observations }: LabReport): UnmatchedBody['interpretation'] {
  const values = observations.filter(({ status }) => status !== 'withdrawn' && status !== 'not_obtained');
  if (values.length === 0) return null;
  return worstOf(
    values.map(({ kind, text, unit, status, ...observation }) => {
      const { result } = readValue(kind, text, unit);
      return interpret({ ...observation, result, unit, final: status !== 'partial' }).interpretation;
    }),
  );
}

function groupByUser(candidates: Unmatched['candidates']): UnmatchedBody['candidate_groups'] {
  const groups = new Map<string, UnmatchedBody['candidate_groups'][number]>();
  for (const { user_id, ...candidate } of candidates) {
    const group = groups.get(user_id) ?? { user_id, candidates: [] };
    group.candidates.push(candidate);
    groups.set(user_id, group);
  }
  return [...groups.values()];
}
