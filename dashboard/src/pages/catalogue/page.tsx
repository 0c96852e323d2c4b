import { Anchor, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { ChoiceFilter } from '../../parts/choice-filter.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { oneOf, text, useFilters, type FiltersOf } from '../../parts/filters.ts';
import {
  inDollars,
  LAB_TEST_STATUSES,
  LabTestStatus,
  labTestStatusInWords,
  turnAroundInWords,
} from '../../parts/lab-test-status.tsx';
import { LaboratorySelect } from '../../parts/laboratory-select.tsx';
import { measuredInWords } from '../../parts/measured.ts';
import { methodInWords } from '../../parts/order-status.tsx';
import { Page } from '../../parts/page.tsx';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { NewLabTest } from './new-lab-test.tsx';

const METHODS = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const;
const FILTERS = { name: text(200), method: oneOf(...METHODS), lab: text(100), status: oneOf(...LAB_TEST_STATUSES) };
const NOTHING = { name: null, method: null, lab: null, status: null };

const read = (team_id: string, filters: FiltersOf<typeof FILTERS>, cursor: string | undefined) => ({
  queryKey: ['lab_tests', team_id, filters, cursor],
  queryFn: () => {
    const { name, method, lab, status } = filters;
    return unwrap(
      phial.GET('/v3/lab_test', {
        params: {
          query: {
            ...(name && { name }),
            ...(method && { collection_method: method }),
            ...(lab && { lab_slug: lab }),
            ...(status && { status }),
            ...(cursor && { next_cursor: cursor }),
            lab_test_limit: 50,
            order_direction: 'desc' as const,
          },
        },
      }),
    );
  },
});

type LabTest = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['data'][number];

export default function Catalogue() {
  const [filters, change] = useFilters(FILTERS);
  const query = useQuery({
    ...read(useTeamPath().team_id, filters, useCursor()),
    placeholderData: (before) => before,
  });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page title="Catalogue" about="The tests that your team can order, and its own tests." actions={<NewLabTest />}>
      <Group align="flex-end" gap="sm" role="search" aria-label="Filters of tests">
        <SearchField label="Name" value={filters.name} change={(name) => change({ name })} />
        <ChoiceFilter
          label="Method"
          width={160}
          data={METHODS.map((value) => ({ value, label: methodInWords(value) }))}
          value={filters.method}
          change={(method) => change({ method })}
        />
        <LaboratorySelect value={filters.lab} change={(lab) => change({ lab })} />
        <ChoiceFilter
          label="Status"
          width={190}
          data={LAB_TEST_STATUSES.map((value) => ({ value, label: labTestStatusInWords(value) }))}
          value={filters.status}
          change={(status) => change({ status })}
        />
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <NoTests isFiltered={isFiltered} clear={() => change(NOTHING)} />
          ) : (
            <>
              <DataTable caption="Tests" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
              <Pager nextCursor={next_cursor} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function NoTests({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  return isFiltered ? (
    <Empty
      title="No test matches"
      action={
        <Button variant="default" onClick={clear}>
          Show all tests
        </Button>
      }
    >
      Change or remove a filter. A part of the name is enough.
    </Empty>
  ) : (
    <Empty title="There is no test yet" action={<NewLabTest />}>
      Make a test of the markers that a laboratory offers.
    </Empty>
  );
}

const COLUMNS: Column<LabTest>[] = [
  {
    label: 'Test',
    isHeader: true,
    render: ({ id, name, description }) => (
      <div>
        <Anchor component={Link} to={`/catalogue/${id}`} fw={600}>
          {name}
        </Anchor>
        <Text size="sm" c="dimmed" fw={400} lineClamp={2} maw={420}>
          {description}
        </Text>
      </div>
    ),
  },
  { label: 'Laboratory', render: ({ lab }) => lab?.name ?? '–' },
  { label: 'Method', render: ({ method }) => methodInWords(method) },
  { label: 'Measures', render: ({ markers }) => (markers ? measuredInWords(markers) : '–') },
  { label: 'Result after', render: turnAroundInWords },
  { label: 'Price', align: 'right', render: ({ price }) => inDollars(price) },
  { label: 'Status', render: ({ status }) => <LabTestStatus status={status} /> },
];
