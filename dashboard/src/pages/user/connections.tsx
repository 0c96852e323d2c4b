import type { operations } from '@phial/client';
import { Button, Group, NativeSelect, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';

const read = (user_id: string) => unwrap(phial.GET('/v2/user/providers/{user_id}', { params: { path: { user_id } } }));
type Connection = Awaited<ReturnType<typeof read>>['providers'][number];

const TONES: Record<string, Tone> = { connected: 'good', error: 'bad', paused: 'quiet' };

/** The connections of a user to providers of wearable data, each with the progress of its past. */
export function Connections({ userId }: { userId: string }) {
  const { environment } = useSession();
  const query = useQuery({ queryKey: ['connections', userId], queryFn: () => read(userId), refetchInterval: 10_000 });
  return (
    <Stack gap="md">
      <Group justify="flex-end">
        <Refresh userId={userId} />
        {environment === 'sandbox' && <ConnectDemo userId={userId} />}
      </Group>
      <Loaded query={query}>
        {({ providers }) =>
          providers.length === 0 ? (
            <Empty title="Nothing is connected">
              The user connects a provider by a link that your own program makes.
              {environment === 'sandbox' && ' In this sandbox you can connect one with invented data.'}
            </Empty>
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              {providers.map((connection) => (
                <Shown key={connection.slug} connection={connection} userId={userId} />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
    </Stack>
  );
}

function Shown({ connection, userId }: { connection: Connection; userId: string }) {
  const { name, slug, status, created_on, last_data_at, error_details, next } = connection;
  return (
    <Paper withBorder p="lg" component="section" aria-label={name}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h3">
          {name}
        </Title>
        <StatusBadge tone={TONES[status] ?? 'quiet'}>{inWords(status)}</StatusBadge>
      </Group>
      <Stack gap="sm">
        {error_details && (
          <Text size="sm" role="alert">
            {inWords(error_details.error_type)}: {error_details.error_message}
          </Text>
        )}
        <FactList
          facts={[
            ['Connected', <Ago key="created" at={created_on} />],
            ['Newest data', last_data_at && <Ago at={last_data_at} />],
            ['Next', next.at === null ? inWords(next.action) : <Ago at={next.at} isDue />],
          ]}
        />
        <Past userId={userId} slug={slug} />
        <Disconnect userId={userId} slug={slug} name={name} />
      </Stack>
    </Paper>
  );
}

/** How far the pull of the past is, by resource. */
function Past({ userId, slug }: { userId: string; slug: string }) {
  const { data } = useQuery({
    queryKey: ['historical_pull', userId, slug],
    queryFn: () =>
      unwrap(phial.GET('/v2/introspect/historical_pull', { params: { query: { user_id: userId, provider: slug } } })),
    refetchInterval: 10_000,
  });
  const pulls = Object.entries(data?.data[0]?.provider ?? {}).flatMap(([, { pulled }]) => Object.entries(pulled));
  if (pulls.length === 0) return null;
  const done = pulls.filter(([, { status }]) => status === 'success').length;
  const failed = pulls.filter(([, { status }]) => status === 'failure');
  return (
    <div>
      <Text size="sm" mb={4}>
        The past: {done} of {pulls.length} resources
      </Text>
      <Progress value={(done / pulls.length) * 100} aria-label="Resources whose past was read" />
      {failed.length > 0 && (
        <Text size="sm" mt={4}>
          Failed: {failed.map(([resource]) => inWords(resource).toLowerCase()).join(', ')}
        </Text>
      )}
    </div>
  );
}

function Refresh({ userId: user_id }: { userId: string }) {
  const refresh = useMutation({
    mutationFn: () => unwrap(phial.POST('/v2/user/refresh/{user_id}', { params: { path: { user_id } } })),
    onSuccess: () => readAgain('connections'),
  });
  return (
    <Group gap="xs">
      <Refusal error={refresh.error} />
      <Button variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
        Ask for new data
      </Button>
    </Group>
  );
}

type DemoProvider = NonNullable<operations['connect_demo']['requestBody']>['content']['application/json']['provider'];

function ConnectDemo({ userId }: { userId: string }) {
  const [isOpen, setOpen] = useState(false);
  const [slug, setSlug] = useState<string | null>(null);
  const { data: providers = [] } = useQuery({
    queryKey: ['providers'],
    queryFn: () => unwrap(phial.GET('/v2/providers')),
    enabled: isOpen,
  });
  const chosen = slug ?? providers[0]?.slug ?? '';
  const connect = useMutation({
    mutationFn: () =>
      unwrap(phial.POST('/v2/link/connect/demo', { body: { user_id: userId, provider: chosen as DemoProvider } })),
    onSuccess: async () => {
      setOpen(false);
      await readAgain('connections');
    },
  });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Connect invented data</Button>
      <FormModal
        isOpen={isOpen}
        close={() => setOpen(false)}
        title="Connect invented data"
        action="Connect"
        isWhole={chosen !== ''}
        run={connect}
      >
        <Text>A simulated provider brings 30 days of invented data, as a real one would.</Text>
        <NativeSelect
          label="Provider"
          data={providers.map(({ slug: value, name }) => ({ value, label: name }))}
          value={chosen}
          onChange={({ currentTarget }) => setSlug(currentTarget.value)}
        />
      </FormModal>
    </>
  );
}

function Disconnect({ userId: user_id, slug: provider, name }: { userId: string; slug: string; name: string }) {
  const [isAsked, setAsked] = useState(false);
  const disconnect = useMutation({
    mutationFn: () =>
      unwrap(phial.DELETE('/v2/user/{user_id}/{provider}', { params: { path: { user_id, provider } } as never })),
    onSuccess: async () => {
      setAsked(false);
      await readAgain('connections');
    },
  });
  return (
    <>
      <Button variant="default" size="xs" style={{ alignSelf: 'flex-start' }} onClick={() => setAsked(true)}>
        Disconnect
      </Button>
      <FormModal
        isOpen={isAsked}
        close={() => setAsked(false)}
        title={`Disconnect ${name}?`}
        action="Disconnect"
        isFinal
        run={disconnect}
      >
        <Text>No further data comes. What is stored stays.</Text>
      </FormModal>
    </>
  );
}
