import { Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';

const KINDS = ['activity', 'sleep', 'body', 'workouts'] as const;
const FILTERS = { kind: oneOf(...KINDS) };
const FORTNIGHT_MS = 14 * 86_400_000;
const MOST = 50;

type Payload = { id: string; timestamp: string; source: { name: string }; data: Record<string, unknown> };

async function read(kind: (typeof KINDS)[number], user_id: string): Promise<Payload[]> {
  const start_date = new Date(Date.now() - FORTNIGHT_MS).toISOString().slice(0, 10);
  const body = await unwrap(
    phial.GET(`/v2/summary/${kind}/{user_id}/raw`, { params: { path: { user_id }, query: { start_date } } }),
  );
  const [payloads = []] = Object.values(body) as Payload[][];
  return payloads.toReversed().slice(0, MOST);
}

/** What providers sent in the last two weeks, as they sent it. */
export function RawPayloads({ userId }: { userId: string }) {
  const [{ kind = 'activity' }, change] = useFilters(FILTERS);
  const query = useQuery({ queryKey: ['raw', userId, kind], queryFn: () => read(kind, userId) });
  return (
    <Stack gap="md">
      <Group>
        <Select
          label="Kind"
          allowDeselect={false}
          data={KINDS.map((value) => ({ value, label: inWords(value) }))}
          value={kind}
          onChange={(value) => change({ kind: value })}
        />
      </Group>
      <Loaded query={query}>
        {(payloads) =>
          payloads.length === 0 ? (
            <Empty title="Nothing in the last two weeks">
              Connect a provider, or ask for new data, under Connections. Payloads are kept for a time only, and not for
              pushes.
            </Empty>
          ) : (
            <Section title="Payloads">
              <Stack gap="lg">
                {payloads.map(({ id, timestamp, source, data }) => (
                  <div key={id}>
                    <Text size="sm" mb={4}>
                      {source.name}, <Time at={timestamp} />
                    </Text>
                    <JsonView value={data} label={`Payload of ${source.name}`} />
                  </div>
                ))}
              </Stack>
            </Section>
          )
        }
      </Loaded>
    </Stack>
  );
}
