import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { CallAttempts } from '../../parts/call-attempts.tsx';
import { Decide } from '../../parts/critical-decide.tsx';
import { CriticalMarkers, Decided, type CriticalEntry } from '../../parts/critical-result.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import type { Order } from './order-query.ts';

const STATES: Record<CriticalEntry['status'], [words: string, tone: Tone]> = {
  open: ['Waits for acknowledgement', 'bad'],
  acknowledged: ['Waits for a sign-off', 'warning'],
  signed_off: ['Signed off', 'good'],
};

/** The critical results of an order, what was done about each, and the next step. */
export function Critical({ order }: { order: Order }) {
  const [done, setDone] = useState('');
  const { data } = useQuery({
    queryKey: ['critical_results', 'of order', order.id, order.last_event.id],
    queryFn: () => unwrap(phial.GET('/v3/critical_result', { params: { query: { order_id: order.id, limit: 20 } } })),
    // A report may correct a critical value to a normal one, and what was done before stays worth knowing.
    enabled: order.interpretation !== null,
  });
  if (!data || data.data.length === 0) return null;
  return (
    <Section title={data.data.length === 1 ? 'Critical result' : 'Critical results'}>
      <Stack gap="lg">
        {data.data.map((entry) => (
          <div key={entry.id}>
            <Group justify="space-between" align="flex-start" mb="sm">
              <Group gap="xs">
                <StatusBadge tone={STATES[entry.status][1]}>{STATES[entry.status][0]}</StatusBadge>
                <Text size="sm" c="dimmed">
                  reported <Ago at={entry.received_at} />
                </Text>
              </Group>
              <Decide entry={entry} say={setDone} />
            </Group>
            <CriticalMarkers of={entry.markers} />
            <CallAttempts entry={entry} orders={[order.id]} />
            <Decided entry={entry} />
          </div>
        ))}
        <Text size="sm" role="status">
          {done}
        </Text>
      </Stack>
    </Section>
  );
}
