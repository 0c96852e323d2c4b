import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { useTeamStatus } from '../../parts/team-status.ts';
import { FiguresSection } from './figures-section.tsx';

/** Below this rate an endpoint is likely down, and not only slow now and then. */
const GOOD_RATE = 0.95;
/** A delivery that waits for longer is held up by more than a busy moment. */
const LATE_SECONDS = 60;

/** The figures of deliveries to all endpoints of the team in the last 24 hours. */
export function Deliveries() {
  const query = useTeamStatus();
  const deliveries = query.data?.deliveries;
  const endpoints = query.data?.endpoints;
  const rate = deliveries?.success_rate;
  const due = deliveries?.oldest_due_seconds;
  return (
    <FiguresSection title="Webhooks in the last 24 hours" query={query}>
      <FigureTile
        label="Attempts"
        value={deliveries && formatCount(deliveries.attempts)}
        note={deliveries && (deliveries.failed === 0 ? 'None failed' : `${formatCount(deliveries.failed)} failed`)}
        to="/webhooks"
      />
      <FigureTile
        label="Success rate"
        value={deliveries && (rate == null ? null : percent(rate))}
        note={rate == null ? 'Nothing was sent' : 'Of all attempts'}
        tone={rate != null && rate < GOOD_RATE ? 'bad' : 'quiet'}
        to="/webhooks"
      />
      <FigureTile
        label="Endpoints that fail"
        value={endpoints && formatCount(endpoints.failing)}
        note={endpoints && `Of ${formatCount(endpoints.total)}, ${formatCount(endpoints.disabled)} disabled`}
        tone={endpoints && endpoints.failing > 0 ? 'bad' : 'quiet'}
        to="/webhooks"
      />
      <FigureTile
        label="Typical response"
        value={deliveries && milliseconds(deliveries.latency_ms.p50)}
        note="Half are faster (p50)"
        to="/webhooks"
      />
      <FigureTile
        label="Slow responses"
        value={deliveries && milliseconds(deliveries.latency_ms.p99)}
        note="1 of 100 is slower (p99)"
        to="/webhooks"
      />
      <FigureTile
        label="Oldest due"
        value={due === undefined ? undefined : due === 0 ? 'None' : seconds(due)}
        note={due === 0 ? 'Nothing is late' : 'It waits to be sent'}
        tone={due !== undefined && due > LATE_SECONDS ? 'warning' : 'quiet'}
        to="/webhooks"
      />
    </FiguresSection>
  );
}

/** Rounded down, so that 100 % means all of them. */
const percent = (rate: number): string => `${(Math.floor(rate * 1000) / 10).toLocaleString()} %`;

const milliseconds = (ms: number | null): string | null =>
  ms === null ? null : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

const seconds = (due: number): string =>
  due < 120 ? `${due} s` : due < 7_200 ? `${Math.round(due / 60)} min` : `${Math.round(due / 3_600)} h`;
