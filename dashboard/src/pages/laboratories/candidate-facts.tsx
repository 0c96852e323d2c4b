import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import type { Candidate } from './unmatched-query.ts';
import { OrderInWords } from './order-in-words.tsx';

const LEVELS: Record<Candidate['confidence_level'], [Tone, string]> = {
  high: ['good', 'Likely'],
  medium: ['active', 'Possible'],
  low: ['quiet', 'Unlikely'],
};

const WORDS: Record<string, string> = {
  sample_id_match: 'same sample id',
  lab_account_mismatch: 'another account at the laboratory',
  matched_completed_order: 'the order has its result already',
  matched_cancelled_order: 'the order was cancelled',
  invalid_collection_state: 'no sample of the order was taken yet',
  demographic_mismatch: 'another person',
  demographic_match: 'same name and date of birth',
  possible_wrong_lab: 'ordered at another laboratory',
  same_lab: 'same laboratory',
  same_user: 'same user',
  marker_overlap_exact: 'exactly what was ordered',
  marker_overlap_partial: 'some of what was ordered',
  marker_overlap_none: 'nothing of what was ordered',
};

/** What speaks for and against an order to which a result may belong. */
export function CandidateFacts({ candidate }: { candidate: Candidate }) {
  const { order_id, confidence_level, reasons } = candidate;
  const [tone, words] = LEVELS[confidence_level];
  return (
    <span>
      <Group gap="xs" component="span">
        <Anchor component={Link} to={`/orders/${order_id}`} target="_blank">
          Order …{order_id?.slice(-8)}
        </Anchor>
        <StatusBadge tone={tone}>{words}</StatusBadge>
      </Group>
      {order_id !== null && <OrderInWords id={order_id} />}
      <Text size="sm" c="dimmed" component="span" display="block">
        {reasons.map((reason) => WORDS[reason] ?? inWords(reason).toLowerCase()).join(', ')}
      </Text>
    </span>
  );
}
