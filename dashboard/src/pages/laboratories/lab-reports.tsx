import { Anchor, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { NameAndBirth, usePeople } from '../../parts/people.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';

const STATES = ['to_review', 'accepted', 'all'] as const;
type State = (typeof STATES)[number];
const WORDS: Record<State, string> = { to_review: 'To review', accepted: 'Accepted', all: 'All' };
const FILTERS = { state: oneOf(...STATES) };

const read = (path: ReturnType<typeof useTeamPath>, status: State, cursor: string | undefined) => ({
  queryKey: ['lab_report_reviews', path.team_id, status, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/lab_report_review', {
        params: { path, query: { status, limit: 50, ...(cursor && { next_cursor: cursor }) } },
      }),
    ),
});

type Review = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

/** Uploaded lab reports that could not be read for certain, with the users whose reports they are. */
export function LabReports() {
  const [{ state = 'to_review' }, change] = useFilters(FILTERS);
  const query = useQuery(read(useTeamPath(), state, useCursor()));
  const { data: people } = usePeople((query.data?.data ?? []).map(({ user_id }) => user_id));
  return (
    <Stack gap="lg">
      <Text c="dimmed">Reports that your programs sent and that a person must compare with what was read.</Text>
      <Group role="search" aria-label="Filters of lab reports">
        <Select
          label="State"
          w={{ base: 'calc(50% - 6px)', xs: 180 }}
          allowDeselect={false}
          data={STATES.map((value) => ({ value, label: WORDS[value] }))}
          value={state}
          onChange={(value) => change({ state: value === 'to_review' ? null : value })}
        />
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <NoReports state={state} />
          ) : (
            <>
              <DataTable
                caption="Lab reports"
                columns={columnsWith(people)}
                rows={data}
                keyOf={({ job_id }) => job_id}
              />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

const NoReports = ({ state }: { state: State }) =>
  state === 'to_review' ? (
    <Empty title="No lab report waits for a review">
      Nothing has to be done. A report waits here if something in it could not be read or matched.
    </Empty>
  ) : (
    <Empty title={state === 'all' ? 'No lab report had to be reviewed' : 'No lab report was accepted yet'}>
      A report that somebody accepts after a review stays here.
    </Empty>
  );

const columnsWith = (people: ReturnType<typeof usePeople>['data']): Column<Review>[] => [
  {
    label: 'Report',
    isHeader: true,
    render: ({ job_id, is_reviewed }) => (
      <Anchor component={Link} to={`/laboratories/reports/${job_id}`}>
        {is_reviewed ? 'Report' : 'Review'} …{job_id.slice(-8)}
      </Anchor>
    ),
  },
  {
    label: 'User',
    render: ({ user_id }) => {
      const person = people?.get(user_id);
      return (
        <Anchor component={Link} to={`/users/${user_id}`}>
          {person ? <NameAndBirth of={person} /> : `…${user_id.slice(-8)}`}
        </Anchor>
      );
    },
  },
  {
    label: 'State',
    render: ({ is_reviewed }) => (
      <StatusBadge tone={is_reviewed ? 'good' : 'warning'}>
        {is_reviewed ? WORDS.accepted : WORDS.to_review}
      </StatusBadge>
    ),
  },
  { label: 'Files', align: 'right', render: ({ files }) => files },
  { label: 'Came', render: ({ created_at }) => <Ago at={created_at} /> },
];
