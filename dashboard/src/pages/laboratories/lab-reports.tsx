import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

const read = (path: ReturnType<typeof useTeamPath>, cursor: string | undefined) => ({
  queryKey: ['lab_report_reviews', path.team_id, cursor],
  queryFn: () =>
    unwrap(
      phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/lab_report_review', {
        params: { path, query: { limit: 50, ...(cursor && { next_cursor: cursor }) } },
      }),
    ),
});

type Review = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

/** Uploaded lab reports that could not be read for certain. The list shows nobody's name. */
export function LabReports() {
  const query = useQuery(read(useTeamPath(), useCursor()));
  return (
    <Stack gap="lg">
      <Text c="dimmed">Reports that your programs sent and that a person must compare with what was read.</Text>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title="No lab report waits for a review">
              Nothing has to be done. A report waits here if something in it could not be read or matched.
            </Empty>
          ) : (
            <>
              <DataTable caption="Lab reports" columns={COLUMNS} rows={data} keyOf={({ job_id }) => job_id} />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

const COLUMNS: Column<Review>[] = [
  {
    label: 'Report',
    isHeader: true,
    render: ({ job_id, user_id }) => (
      <Anchor component={Link} to={`/laboratories/reports/${job_id}`} search={{ user: user_id } as never}>
        Review …{job_id.slice(-8)}
      </Anchor>
    ),
  },
  {
    label: 'User',
    render: ({ user_id }) => (
      <Anchor component={Link} to={`/users/${user_id}`}>
        …{user_id.slice(-8)}
      </Anchor>
    ),
  },
  { label: 'Files', align: 'right', render: ({ files }) => files },
  { label: 'Came', render: ({ created_at }) => <Ago at={created_at} /> },
];
