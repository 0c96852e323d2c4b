import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { EVERY_MS, Section } from './section.tsx';

const DAY_MS = 86_400_000;
/** Below this rate an endpoint is likely down, and not only slow now and then. */
const GOOD_RATE = 0.95;

/** The figures of deliveries to all endpoints of the team in the last 24 hours. */
export function Deliveries() {
  const path = useTeamPath();
  const query = useQuery({
    queryKey: ['webhook_metrics', path.team_id],
    queryFn: () =>
      unwrap(
        phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook_metrics', {
          params: { path, query: { since: new Date(Date.now() - DAY_MS).toISOString(), interval: '1h' } },
        }),
      ),
    refetchInterval: EVERY_MS,
  });
  const total = query.data?.total;
  const rate = total?.success_rate;
  return (
    <Section title="Webhooks in the last 24 hours" query={query}>
      <FigureTile
        label="Attempts"
        value={total && formatCount(total.attempts)}
        note={total && failedOf(total.failed)}
      />
      <FigureTile
        label="Success rate"
        value={total && (rate == null ? null : percent(rate))}
        note={rate == null ? 'Nothing was sent' : 'Of all attempts'}
        tone={rate != null && rate < GOOD_RATE ? 'bad' : 'quiet'}
      />
      <FigureTile label="Typical response" value={total && milliseconds(total.latency_ms.p50)} note="Half are faster" />
      <FigureTile
        label="Slow responses"
        value={total && milliseconds(total.latency_ms.p99)}
        note="1 of 100 is slower"
      />
    </Section>
  );
}

const failedOf = (failed: number): string => (failed === 0 ? 'None failed' : `${formatCount(failed)} failed`);

/** Rounded down, so that 100 % means all of them. */
const percent = (rate: number): string => `${(Math.floor(rate * 1000) / 10).toLocaleString()} %`;

const milliseconds = (ms: number | null): string | null =>
  ms === null ? null : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
