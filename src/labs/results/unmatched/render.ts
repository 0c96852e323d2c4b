import type { Static } from 'typebox';
import { interpret, worstOf } from '../interpretation/interpret.ts';
import { readValue } from '../interpretation/read-value.ts';
import type { LabReport } from '../report.ts';
import { REASONS } from './decide.ts';
import type { Unmatched } from './load.ts';
import type { UnmatchedResult } from './schemas.ts';

type Told = Static<typeof UnmatchedResult>;

export function renderUnmatched({ report, candidates, ...unmatched }: Unmatched): Told {
  const values = report.observations.filter(({ status }) => status !== 'withdrawn');
  return {
    ...unmatched,
    reason: REASONS[unmatched.decision_code],
    patient: report.patient,
    markers: values.map(({ code, name }) => ({ provider_id: code, name })),
    interpretation: worstOfReport(report),
    result_status: report.status === 'partial' ? 'partial' : 'final',
    allowed_actions: ACTIONS[unmatched.status],
    candidate_groups: groupByUser(candidates),
  };
}

/** Who was unsure leaves the decision to somebody else, who may take it by the same operations. */
const ACTIONS: Record<Told['status'], Told['allowed_actions']> = {
  matched: [],
  pending_customer_review: ['accept', 'reject', 'unsure'],
  pending_ops_review: ['accept', 'reject'],
  resolved: [],
};

/** As bad as its worst value; null where it has none. */
export function worstOfReport({ observations }: LabReport): Told['interpretation'] {
  const values = observations.filter(({ status }) => status !== 'withdrawn' && status !== 'not_obtained');
  if (values.length === 0) return null;
  return worstOf(
    values.map(({ kind, text, unit, status, ...observation }) => {
      const { result } = readValue(kind, text, unit);
      return interpret({ ...observation, result, unit, final: status !== 'partial' }).interpretation;
    }),
  );
}

function groupByUser(candidates: Unmatched['candidates']): Told['candidate_groups'] {
  const groups = new Map<string, Told['candidate_groups'][number]>();
  for (const { user_id, ...candidate } of candidates) {
    const group = groups.get(user_id) ?? { user_id, candidates: [] };
    group.candidates.push(candidate);
    groups.set(user_id, group);
  }
  return [...groups.values()];
}
