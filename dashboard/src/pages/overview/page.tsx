import { SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed } from '../../parts/states.tsx';

const DAY_MS = 86_400_000;

export default function Overview() {
  return (
    <Page title="Overview" about="What needs somebody, and whether all is well.">
      <Deliveries />
    </Page>
  );
}

/** The figures of all deliveries of the team in the last 24 hours. */
function Deliveries() {
  const path = useTeamPath();
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook_metrics', path.team_id],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook_metrics', {
          params: { path, query: { since: new Date(Date.now() - DAY_MS).toISOString(), interval: '1h' } },
        }),
      ),
  });
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />;
  const total = data?.total;
  const rate = total?.success_rate;
  return (
    <Stack gap="sm" component="section" aria-labelledby="deliveries">
      <Title order={2} id="deliveries">
        Webhooks in the last 24 hours
      </Title>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <FigureTile label="Attempts" value={total && formatCount(total.attempts)} />
        <FigureTile
          label="Success rate"
          value={total && (rate == null ? null : percent(rate))}
          tone={rate != null && rate < 0.95 ? 'bad' : 'quiet'}
        />
        <FigureTile label="Half end within" value={total && milliseconds(total.latency_ms.p50)} note="p50" />
        <FigureTile label="99 of 100 end within" value={total && milliseconds(total.latency_ms.p99)} note="p99" />
      </SimpleGrid>
    </Stack>
  );
}

/** Rounded down, so that 100 % means: all of them. */
const percent = (rate: number): string => `${(Math.floor(rate * 1000) / 10).toLocaleString()} %`;

const milliseconds = (ms: number | null): string | null =>
  ms === null ? null : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
