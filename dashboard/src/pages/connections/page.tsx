import { Anchor, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { oneOf, text, useFilters, type FiltersOf } from '../../parts/filters.ts';
import { Page } from '../../parts/page.tsx';
import { fullName, usePeople } from '../../parts/people.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Failed, Loaded } from '../../parts/states.tsx';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { ByProvider, CAUSES, causeInWords, type Counts } from './by-provider.tsx';

const STATUSES = ['error', 'connected', 'paused'] as const;
const WORDS: Record<string, string> = { error: 'In error', connected: 'Connected', paused: 'Paused' };
const TONES: Record<string, Tone> = { error: 'bad', connected: 'good', paused: 'quiet' };
const FILTERS = { status: oneOf(...STATUSES), provider: text(100), cause: text(100) };
type Filters = FiltersOf<typeof FILTERS>;

const read = (team_id: string, { status = 'error', provider, cause }: Filters, cursor: string | undefined) => ({
  queryKey: ['team_connections', team_id, status, provider, cause, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v2/team/connections', {
        params: {
          query: {
            status,
            limit: 50,
            ...(provider && { provider }),
            ...(cause && { error_type: cause }),
            ...(cursor && { next_cursor: cursor }),
          },
        },
      }),
    ),
});

type Connection = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

export default function Connections() {
  const { team_id } = useTeamPath();
  const { data, error, refetch } = useQuery({
    queryKey: ['connection_counts', team_id],
    queryFn: () => unwrap(phial.GET('/v2/team/connection_counts')),
    refetchInterval: 60_000,
  });
  return (
    <Page title="Connections" about="Which providers bring data of your users, and which connections are broken.">
      {error && !data ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <SimpleGrid cols={3} spacing={{ base: 'xs', sm: 'md' }}>
          {STATUSES.map((status) => (
            <FigureTile
              key={status}
              label={WORDS[status] as string}
              value={data && formatCount(data[status])}
              tone={status === 'error' && data && data.error > 0 ? 'bad' : 'quiet'}
              to="/connections"
              search={{ status }}
            />
          ))}
        </SimpleGrid>
      )}
      {data && data.data.length > 0 && <ByProvider counts={data.data} />}
      <List counts={data?.data ?? []} />
    </Page>
  );
}

/** The connections with one status, those that got it last first. */
function List({ counts }: { counts: Counts }) {
  const { team_id } = useTeamPath();
  const [filters, change] = useFilters(FILTERS);
  const { status = 'error', provider, cause } = filters;
  const query = useQuery(read(team_id, filters, useCursor()));
  const providers = [...new Map(counts.map((count) => [count.provider.slug, count.provider.name]))];
  const known = providers.map(([value, label]) => ({ value, label }));
  const isListed = provider === undefined || known.some(({ value }) => value === provider);
  return (
    <Section title="Connections of users">
      <Stack gap="lg">
        <Group align="flex-end" gap="sm" role="search" aria-label="Filters of connections">
          <Select
            label="Status"
            allowDeselect={false}
            w={{ base: 'calc(50% - 6px)', xs: 170 }}
            data={STATUSES.map((value) => ({ value, label: WORDS[value] as string }))}
            value={status}
            // Only connections in error have a cause.
            onChange={(value) => change({ status: value, cause: null })}
          />
          <ChoiceFilter
            label="Provider"
            searchable
            width={220}
            data={isListed ? known : [...known, { value: provider, label: provider }]}
            value={provider}
            change={(slug) => change({ provider: slug })}
          />
          {status === 'error' && (
            <Select
              label="Cause"
              placeholder="Any"
              clearable
              w={{ base: '100%', xs: 300 }}
              data={[...new Set([...Object.keys(CAUSES), ...(cause ? [cause] : [])])].map((value) => ({
                value,
                label: causeInWords(value),
              }))}
              value={cause ?? null}
              onChange={(value) => change({ cause: value })}
            />
          )}
        </Group>
        <Loaded query={query}>
          {({ data, next_cursor }) =>
            data.length === 0 ? (
              <Nothing status={status} isFiltered={(provider ?? cause) !== undefined} />
            ) : (
              <>
                <ConnectionTable of={data} />
                <Pager nextCursor={next_cursor} />
              </>
            )
          }
        </Loaded>
      </Stack>
    </Section>
  );
}

function ConnectionTable({ of }: { of: Connection[] }) {
  const { data: people } = usePeople(of.map(({ user_id }) => user_id));
  const rows = of.map((connection) => ({ ...connection, person: people?.get(connection.user_id) ?? null }));
  return (
    <DataTable
      caption="Connections"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ user_id, provider: { slug } }) => `${user_id} ${slug}`}
    />
  );
}

function Nothing({ status, isFiltered }: { status: string; isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No connection matches">Choose another status, provider or cause.</Empty>;
  return status === 'error' ? (
    <Empty title="No connection is broken">Nothing has to be done. Choose another status to see the others.</Empty>
  ) : (
    <Empty title={`No connection is ${(WORDS[status] ?? status).toLowerCase()}`}>
      Users connect their providers by a link that your own program makes.
    </Empty>
  );
}

type Row = Connection & { person: Parameters<typeof fullName>[0] | null };

const COLUMNS: Column<Row>[] = [
  {
    label: 'User',
    isHeader: true,
    render: ({ user_id, client_user_id, person }) => (
      <>
        <Anchor
          component={Link}
          to={`/users/${user_id}`}
          search={{ tab: 'connections' } as never}
          fw={600}
          style={{ overflowWrap: 'anywhere' }}
        >
          {client_user_id}
        </Anchor>
        {person && (
          <Text size="sm" c="dimmed">
            {fullName(person)}
          </Text>
        )}
      </>
    ),
  },
  { label: 'Provider', render: ({ provider }) => provider.name },
  {
    label: 'Status',
    render: ({ status }) => (
      <StatusBadge tone={TONES[status] ?? 'quiet'}>{WORDS[status] ?? inWords(status)}</StatusBadge>
    ),
  },
  {
    label: 'Cause',
    render: ({ error_details }) =>
      error_details === null ? (
        '–'
      ) : (
        <div>
          <Text size="sm">{causeInWords(error_details.error_type)}</Text>
          <Text size="sm" c="dimmed">
            {error_details.error_message}
          </Text>
        </div>
      ),
  },
  { label: 'Since', render: ({ since }) => <Ago at={since} /> },
];
