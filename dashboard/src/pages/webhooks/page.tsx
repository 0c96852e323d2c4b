import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Health } from '../../parts/endpoint-health.tsx';
import { Page } from '../../parts/page.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { LastResponse } from './last-response.tsx';
import { NewEndpoint } from './new-endpoint.tsx';

type TeamPath = ReturnType<typeof useTeamPath>;

const read = (path: TeamPath, cursor: string | undefined) => ({
  queryKey: ['webhooks', path.team_id, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', {
        params: { path, query: { limit: 20, ...(cursor && { next_cursor: cursor }) } },
      }),
    ),
});

export type Endpoint = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

export default function Webhooks() {
  const path = useTeamPath();
  const query = useQuery(read(path, useCursor()));
  return (
    <Page title="Webhooks" about="The endpoints to which events are sent, and how they do." actions={<NewEndpoint />}>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title="No endpoint gets events yet" action={<NewEndpoint />}>
              Give the address of your own service. Each change of an order, a connection or wearable data is then sent
              to it, signed.
            </Empty>
          ) : (
            <>
              <DataTable caption="Endpoints" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS: Column<Endpoint>[] = [
  {
    label: 'Endpoint',
    isHeader: true,
    render: ({ id, url, description }) => (
      <>
        <Anchor component={Link} to={`/webhooks/${id}`} fw={600} style={{ overflowWrap: 'anywhere' }}>
          {url}
        </Anchor>
        {description && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
      </>
    ),
  },
  { label: 'Last response', isOneLine: true, render: (endpoint) => <LastResponse endpoint={endpoint} /> },
  { label: 'Health, last 24 hours', render: (endpoint) => <Health endpoint={endpoint} /> },
  {
    label: 'Events',
    render: ({ filter_types }) =>
      filter_types === null ? 'All' : filter_types.length === 1 ? filter_types[0] : `${filter_types.length} kinds`,
  },
  { label: 'Created', isOneLine: true, render: ({ created_at }) => <Ago at={created_at} /> },
];
