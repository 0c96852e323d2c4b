import { Anchor, Button, Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { text, useFilters } from '../../parts/filters.ts';
import { Interpretation } from '../../parts/order-status.tsx';
import { NameAndBirth, usePerson } from '../../parts/people.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Curve } from './curve.tsx';
import { momentOf, readTrend, type Point, type Trend } from './trend.ts';
import { unitInWords, withUnit } from '../../parts/unit.ts';

const FILTERS = { marker: text(200) };

/** The results of a patient across all orders: every marker with its newest value, or one as a line. */
export default function Trends() {
  const { user } = useParams({ strict: false }) as { user: string };
  const [{ marker }, change] = useFilters(FILTERS);
  const all = useQuery({
    queryKey: ['result_trend', user],
    queryFn: () => readTrend(user, undefined),
    select: ({ lines }) => ({ lines: lines.toSorted((one, other) => one.name.localeCompare(other.name)) }),
  });
  const one = useQuery({
    queryKey: ['result_trend', user, marker],
    queryFn: () => readTrend(user, marker),
    enabled: marker !== undefined,
  });
  const person = usePerson(user);
  return (
    <Page
      title="Results as trends"
      about={
        <Group gap="sm" component="span">
          {person && (
            <Anchor component={Link} to={`/users/${user}`}>
              <NameAndBirth of={person} />
            </Anchor>
          )}
          <Anchor component={Link} to={`/users/${user}`} search={{ tab: 'orders' } as never}>
            All orders of this user
          </Anchor>
        </Group>
      }
    >
      <Loaded query={all}>
        {({ lines }) =>
          lines.length === 0 ? (
            <Empty
              title="No results yet"
              action={
                <Button component={Link} to="/orders" variant="default">
                  Go to orders
                </Button>
              }
            >
              Order a test for this user. Its results appear here with the first report of the laboratory.
            </Empty>
          ) : (
            <>
              <Group>
                <Select
                  label="Marker"
                  placeholder="All markers"
                  searchable
                  clearable
                  w={{ base: '100%', sm: 340 }}
                  data={choicesOf(lines)}
                  value={marker ?? null}
                  onChange={(value) => change({ marker: value })}
                />
              </Group>
              {marker === undefined ? (
                <DataTable caption="Markers" columns={MARKERS} rows={lines} keyOf={keyOf} />
              ) : (
                <Loaded query={one}>
                  {({ lines: drawn }) => drawn.map((line) => <Drawn key={keyOf(line)} line={line} />)}
                </Loaded>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const keyOf = ({ slug, unit }: Trend): string => `${slug} ${unit}`;
const nameOf = ({ loinc, slug }: Trend): string => loinc ?? slug;

/** One choice a marker, though it may have several units. */
const choicesOf = (lines: readonly Trend[]) => [
  ...new Map(lines.map((line) => [nameOf(line), { value: nameOf(line), label: line.name }])).values(),
];

function Drawn({ line }: { line: Trend }) {
  const points = line.points ?? [];
  return (
    <Section title={line.unit === null ? line.name : `${line.name} (${unitInWords(line.unit)})`}>
      <Curve line={line} />
      <Text size="sm" c="dimmed" my="sm">
        {points.length === 1 ? 'One result' : `${points.length} results, the newest last`}.
      </Text>
      <DataTable
        caption={line.name}
        columns={columnsOf(line)}
        rows={points}
        keyOf={(point) => `${point.order_id} ${momentOf(point)}`}
      />
    </Section>
  );
}

const columnsOf = ({ unit }: Trend): Column<Point>[] => [
  {
    label: 'When',
    isHeader: true,
    render: (point) => (
      <Anchor component={Link} to={`/orders/${point.order_id}`}>
        {momentOf(point) === '' ? 'Not known' : <Time at={momentOf(point)} />}
      </Anchor>
    ),
  },
  {
    label: 'Result',
    render: ({ result, is_corrected }) => `${withUnit(result, unit)}${is_corrected ? ' (corrected)' : ''}`,
  },
  {
    label: 'Range',
    render: ({ reference_range }) => (reference_range === null ? '–' : withUnit(reference_range, unit)),
  },
  { label: 'Meaning', render: ({ interpretation }) => <Interpretation value={interpretation} /> },
];

const MARKERS: Column<Trend>[] = [
  {
    label: 'Marker',
    isHeader: true,
    render: (line) => (
      <Anchor component={Link} to="." search={{ marker: nameOf(line) } as never} fw={600}>
        {line.name}
      </Anchor>
    ),
  },
  { label: 'Newest', render: ({ newest, unit }) => withUnit(newest.result, unit) },
  { label: 'Meaning', render: ({ newest }) => <Interpretation value={newest.interpretation} /> },
  { label: 'Results', align: 'right', render: ({ point_count }) => point_count },
];
