import { Button, Group, Menu, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTeamPath } from '../../api/session.tsx';
import { shortAddress } from '../../parts/endpoint-names.ts';
import { Health, useEndpointFigures, useIsCounting } from '../../parts/endpoint-health.tsx';
import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { ChevronDownIcon } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Attempts } from './attempts.tsx';
import { ChangeEndpoint, DeleteEndpoint, useSwitch } from './change-endpoint.tsx';
import { endpointQuery, type Endpoint } from './endpoint-query.ts';
import { Replays } from './replays.tsx';
import { Secret } from './secret.tsx';
import { SendTest } from './send-test.tsx';
import { SentTest } from './sent-test.tsx';

export default function WebhookPage() {
  const { webhook } = useParams({ strict: false }) as { webhook: string };
  const query = useQuery(endpointQuery(useTeamPath(), webhook));
  return <Loaded query={query}>{(endpoint) => <Shown endpoint={endpoint} />}</Loaded>;
}

const TABS = ['deliveries', 'replays', 'secret'] as const;
const RULES = { tab: oneOf(...TABS) };

function Shown({ endpoint }: { endpoint: Endpoint }) {
  const [{ tab }, change] = useFilters(RULES);
  const [tested, setTested] = useState<string | null>(null);
  return (
    <Page
      title={shortAddress(endpoint.url)}
      heading={endpoint.url}
      about={<About endpoint={endpoint} />}
      actions={<Actions endpoint={endpoint} onSent={setTested} />}
    >
      <Figures id={endpoint.id} />
      {/* Always there, so that a screen reader hears what is written into it. */}
      <div role="status">{tested !== null && <SentTest key={tested} eventId={tested} webhookId={endpoint.id} />}</div>
      <PageTabs
        label="Endpoint"
        shown={tab}
        show={(next) => change({ tab: next })}
        tabs={{
          deliveries: { label: 'Deliveries', panel: <Attempts endpoint={endpoint} /> },
          replays: { label: 'Replays', panel: <Replays endpoint={endpoint} /> },
          secret: { label: 'Signing secret', panel: <Secret endpoint={endpoint} /> },
        }}
      />
    </Page>
  );
}

function About({ endpoint }: { endpoint: Endpoint }) {
  const { description, filter_types } = endpoint;
  return (
    <Stack gap={4} component="span">
      {description && <span>{description}</span>}
      <Group gap="xs" component="span">
        <Health endpoint={endpoint} />
        <Text size="sm" component="span" c="dimmed">
          {filter_types === null ? 'Gets all events about users' : `Gets ${filter_types.join(', ')}`}
        </Text>
      </Group>
    </Stack>
  );
}

function Figures({ id }: { id: string }) {
  const { data } = useEndpointFigures(id);
  const isCounting = useIsCounting(id);
  const total = data?.total;
  const latency = total?.latency_ms;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <FigureTile
        label="Attempts in 24 hours"
        value={total && (isCounting ? null : formatCount(total.attempts))}
        note={isCounting ? 'Is being counted' : undefined}
      />
      <FigureTile
        label="Failed"
        value={total && (isCounting ? null : formatCount(total.failed))}
        tone={total && total.failed > 0 ? 'bad' : 'quiet'}
      />
      <FigureTile label="Half end within" value={latency && inTime(latency.p50)} note="p50" />
      <FigureTile label="99 of 100 end within" value={latency && inTime(latency.p99)} note="p99" />
    </SimpleGrid>
  );
}

const inTime = (ms: number | null): string | null =>
  ms === null ? null : ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;

type Dialog = 'edit' | 'test' | 'delete';

type ActionsProps = { endpoint: Endpoint; onSent: (eventId: string) => void };

function Actions({ endpoint, onSent }: ActionsProps) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = () => setDialog(null);
  const enable = useSwitch(endpoint);
  return (
    <>
      <Button variant="default" onClick={() => setDialog('test')}>
        Send a test
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDownIcon size={16} />}>
            Change
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('edit')}>Edit address and events</Menu.Item>
          <Menu.Item onClick={() => enable.mutate(!endpoint.disabled)}>
            {endpoint.disabled ? 'Enable' : 'Disable'}
          </Menu.Item>
          <Menu.Item color="red" onClick={() => setDialog('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'edit' && <ChangeEndpoint endpoint={endpoint} close={close} />}
      {dialog === 'test' && <SendTest endpoint={endpoint} close={close} onSent={onSent} />}
      {dialog === 'delete' && <DeleteEndpoint endpoint={endpoint} close={close} />}
    </>
  );
}
