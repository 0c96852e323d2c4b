import { Anchor, Button, Code, Group, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { phial, unwrap } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { useTeamPath } from '../api/session.tsx';
import { Drawer } from './drawer.tsx';
import { useEndpointName } from './endpoint-names.ts';
import { FactList } from './fact-list.tsx';
import { JsonView } from './json-view.tsx';
import { useMadeAttempt } from './made-attempt.ts';
import { Refusal } from './refusal.tsx';
import { Failed, Loading } from './states.tsx';
import { inWords, StatusBadge, type Tone } from './status-badge.tsx';
import { Time } from './time.tsx';

export type AttemptSummary = {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  attempt: number;
  trigger: string;
  status: 'succeeded' | 'failed' | 'exhausted';
  http_status: number | null;
  error: string | null;
  duration_ms: number;
  next_attempt_at: string | null;
  created_at: string;
};

const TONES: Record<AttemptSummary['status'], Tone> = { succeeded: 'good', failed: 'warning', exhausted: 'bad' };
const WORDS: Record<AttemptSummary['status'], string> = {
  succeeded: 'Delivered',
  failed: 'Failed',
  exhausted: 'Given up',
};

/** The outcome of an attempt, with the response of the endpoint. */
export function AttemptStatus({ attempt: { status, http_status, error } }: { attempt: AttemptSummary }) {
  const response = http_status ?? (error === null ? null : inWords(error).toLowerCase());
  return (
    <StatusBadge tone={TONES[status]}>
      {response === null ? WORDS[status] : `${WORDS[status]} (${response})`}
    </StatusBadge>
  );
}

type ShownProps = { attempt: AttemptSummary; close: () => void };

/**
 * The request of an attempt and its response, and the button that sends the event again. The new attempt then takes the
 * place of the old one.
 */
export function ShownAttempt({ attempt: opened, close }: ShownProps) {
  const [attempt, setAttempt] = useState(opened);
  const path = useTeamPath();
  const { webhook_id, event_id, id: attempt_id } = attempt;
  const endpointName = useEndpointName();
  const query = useQuery({
    queryKey: ['attempt', path.team_id, attempt_id],
    queryFn: async () => {
      const [whole, event] = await Promise.all([
        unwrap(
          phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/attempt/{attempt_id}', {
            params: { path: { ...path, webhook_id, attempt_id } },
          }),
        ),
        unwrap(
          phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/event/{event_id}', {
            params: { path: { ...path, event_id } },
          }),
        ),
      ]);
      return { ...whole, body: event.body };
    },
  });
  return (
    <Drawer title={attempt.event_type} close={close}>
      <Group justify="space-between">
        <AttemptStatus attempt={attempt} />
        <Resend attempt={attempt} onMade={setAttempt} />
      </Group>
      {query.error && <Failed error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {query.data && (
        <>
          <FactList
            facts={[
              [
                'Endpoint',
                <Anchor key="endpoint" component={Link} to={`/webhooks/${webhook_id}`}>
                  {endpointName(webhook_id)}
                </Anchor>,
              ],
              ['Sent to', query.data.url],
              ['Sent', query.data.sent_at && <Time at={query.data.sent_at} />],
              ['Took', `${query.data.duration_ms} ms`],
              ['Next attempt', query.data.next_attempt_at && <Time at={query.data.next_attempt_at} />],
              [
                'Event',
                <Anchor key="event" component={Link} to={`/events/${event_id}`}>
                  All its deliveries
                </Anchor>,
              ],
            ]}
          />
          <Part title="Response">
            {query.data.response_body ? (
              <ResponseBody text={query.data.response_body} />
            ) : (
              <Text c="dimmed">{query.data.http_status === null ? 'None came.' : 'It had no body.'}</Text>
            )}
          </Part>
          <Part title="Headers of the request">
            <Code block style={WRAPPED}>
              {Object.entries(query.data.request_headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join('\n')}
            </Code>
          </Part>
          <Part title="Body of the request">
            {query.data.body === null ? (
              <Text c="dimmed">It is no longer stored.</Text>
            ) : (
              <JsonView value={JSON.parse(query.data.body)} />
            )}
          </Part>
        </>
      )}
    </Drawer>
  );
}

/** Long lines break, because the panel is narrow. */
const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

/** The response, indented if it is JSON. The service may have stored only its beginning. */
function ResponseBody({ text }: { text: string }) {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return <JsonView value={value} label="Response" />;
  } catch {
    // It is text.
  }
  return (
    <Code block style={WRAPPED}>
      {text}
    </Code>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h4" mb="xs">
        {title}
      </Title>
      {children}
    </section>
  );
}

type ResendProps = {
  attempt: { webhook_id: string; event_id: string };
  /** Is told the new attempt. */
  onMade?: (attempt: AttemptSummary) => void;
};

/** Sends the event of an attempt to its endpoint again, and says when that is done. */
export function Resend({ attempt: { webhook_id, event_id }, onMade }: ResendProps) {
  const path = useTeamPath();
  const resend = useMutation({
    mutationFn: () =>
      unwrap(
        phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/event/{event_id}/resend', {
          params: { path: { ...path, webhook_id, event_id } },
        }),
      ),
    onSuccess: () => readAgain('attempts', 'event_attempts', 'endpoint_figures'),
  });
  const made = useMadeAttempt(resend.data ? { event_id, webhook_id, before: resend.data.attempts } : null);
  useEffect(() => {
    if (made) onMade?.(made);
    // The attempt counts, not who wants to know of it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [made]);
  return (
    <Group gap="xs">
      <Text size="sm" role="status">
        {resend.isSuccess && (made ? 'It was sent again.' : 'It is on its way.')}
      </Text>
      <Refusal error={resend.error} />
      <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
        Send again
      </Button>
    </Group>
  );
}
