import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { formatCount } from '../../parts/figure-tile.tsx';
import { text, useFilters } from '../../parts/filters.ts';
import { NumberedPager, usePageNumber } from '../../parts/numbered-pager.tsx';
import { Page } from '../../parts/page.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { NewUser } from './new-user.tsx';

const SIZE = 50;
const FILTERS = { search: text(256) };

export default function Users() {
  const [{ search }, change] = useFilters(FILTERS);
  return (
    <Page title="Users" about="The people whose data the team keeps." actions={<NewUser />}>
      <SearchField
        label="Search"
        placeholder="Id, name, e-mail, phone or date of birth"
        longest={256}
        width={420}
        value={search}
        change={(value) => change({ search: value })}
      />
      {search && search.length >= 2 ? <Found search={search} /> : <All />}
    </Page>
  );
}

const readAll = (offset: number) => unwrap(phial.GET('/v2/user', { params: { query: { offset, limit: SIZE } } }));
type User = Awaited<ReturnType<typeof readAll>>['users'][number];

function All() {
  const { team } = useSession();
  const page = usePageNumber();
  const query = useQuery({
    queryKey: ['users', team?.id, page],
    queryFn: () => readAll((page - 1) * SIZE),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={query}>
      {({ users, total }) =>
        users.length === 0 ? (
          <Empty title="There are no users yet" action={<NewUser />}>
            Create one here, or by POST /v2/user with an id of your own system.
          </Empty>
        ) : (
          <>
            <Text size="sm" c="dimmed" role="status">
              {formatCount(total)} {total === 1 ? 'user' : 'users'}
            </Text>
            <DataTable caption="Users" columns={COLUMNS} rows={users} keyOf={({ user_id }) => user_id} />
            <NumberedPager total={total} size={SIZE} />
          </>
        )
      }
    </Loaded>
  );
}

function Found({ search }: { search: string }) {
  const { team } = useSession();
  const query = useQuery({
    queryKey: ['users_search', team?.id, search],
    queryFn: () => unwrap(phial.GET('/v2/team/users/search', { params: { query: { query_id: search } } })),
  });
  return (
    <Loaded query={query}>
      {(users) =>
        users.length === 0 ? (
          <Empty title="Nobody matches">
            A name is found by its whole words. Ids, e-mail addresses, phone numbers and dates of birth are found whole.
          </Empty>
        ) : (
          <DataTable caption="Users" columns={COLUMNS} rows={users} keyOf={({ user_id }) => user_id} />
        )
      }
    </Loaded>
  );
}

const COLUMNS: Column<User>[] = [
  {
    label: 'Your id',
    isHeader: true,
    render: ({ user_id, client_user_id }) => (
      <Anchor component={Link} to={`/users/${user_id}`} fw={600} style={{ overflowWrap: 'anywhere' }}>
        {client_user_id}
      </Anchor>
    ),
  },
  { label: 'User', render: ({ user_id }) => <CopyableId value={user_id} label="user id" /> },
  {
    label: 'Connections',
    render: ({ connected_sources }) =>
      connected_sources.length === 0 ? (
        '–'
      ) : (
        <Group gap={6}>{connected_sources.map(({ provider }) => provider.name).join(', ')}</Group>
      ),
  },
  { label: 'Time zone', render: ({ fallback_time_zone }) => fallback_time_zone?.id ?? '–' },
  { label: 'Created', render: ({ created_on }) => <Ago at={created_on} /> },
];
