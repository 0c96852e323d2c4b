import { SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { FigureTile, formatCount } from '../../parts/figure-tile.tsx';
import { useFilters } from '../../parts/filters.ts';
import { Pager, useCursor } from '../../parts/pager.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Plan } from './plan.tsx';

const FIRST_MONTH = '2020-01';
const thisMonth = (): string => new Date().toISOString().slice(0, 7);

const FILTERS = {
  month: (written: unknown): string | undefined =>
    typeof written === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(written) && written >= FIRST_MONTH
      ? written
      : undefined,
};

const read = (org_id: string, month: string | undefined, next_cursor: string | undefined) =>
  unwrap(phial.GET('/v1/org/{org_id}/usage', { params: { path: { org_id }, query: { month, next_cursor } } }));
type Usage = Awaited<ReturnType<typeof read>>;

/** What the organisation has, and what it used in a month. */
export function PlanAndUsage() {
  const { org } = useSession();
  const [{ month }, change] = useFilters(FILTERS);
  const cursor = useCursor();
  const usage = useQuery({
    queryKey: ['usage', org.id, month, cursor],
    queryFn: () => read(org.id, month, cursor),
    placeholderData: (before) => before,
  });
  return (
    <Stack gap="lg">
      <Plan />
      <TextInput
        label="Month, in UTC"
        type="month"
        w={{ base: '100%', xs: 220 }}
        min={FIRST_MONTH}
        max={thisMonth()}
        value={month ?? thisMonth()}
        onChange={({ currentTarget }) => change({ month: currentTarget.value || null })}
      />
      <Loaded query={usage}>
        {(read) => (
          <>
            <Figures usage={read} />
            <DataTable caption="Usage by team" columns={COLUMNS} rows={read.data} keyOf={({ team_id }) => team_id} />
            <Pager nextCursor={read.next_cursor} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function Figures({ usage }: { usage: Usage }) {
  const { month } = usage;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <FigureTile label="Orders placed" value={formatCount(usage.orders_of_month)} note={`in ${month}`} />
      <FigureTile label="Deliveries" value={formatCount(usage.deliveries_of_month)} note={`succeeded in ${month}`} />
      <FigureTile label="Users" value={formatCount(usage.users)} note="now" />
      <FigureTile label="Connections" value={formatCount(usage.connections)} note="now" />
      <FigureTile label="Orders" value={formatCount(usage.orders)} note="now, in every status" />
      <FigureTile label="Teams" value={formatCount(usage.teams)} note="now" />
      <FigureTile label="Uploads" value={inBytes(usage.import_bytes)} note="that wait for their import" />
      <FigureTile label="Lab reports" value={inBytes(usage.lab_report_bytes)} note="stored now" />
    </SimpleGrid>
  );
}

const COLUMNS: Column<Usage['data'][number]>[] = [
  { label: 'Team', render: ({ name }) => name, isHeader: true },
  { label: 'Orders of the month', align: 'right', render: ({ orders_of_month }) => formatCount(orders_of_month) },
  { label: 'Deliveries', align: 'right', render: ({ deliveries_of_month }) => formatCount(deliveries_of_month) },
  { label: 'Users', align: 'right', render: ({ users }) => formatCount(users) },
  { label: 'Connections', align: 'right', render: ({ connections }) => formatCount(connections) },
  { label: 'All orders', align: 'right', render: ({ orders }) => formatCount(orders) },
  { label: 'Lab reports', align: 'right', render: ({ lab_report_bytes }) => inBytes(lab_report_bytes) },
];

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A size as people say it: "1.5 MB". */
function inBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), SIZES.length - 1);
  const unitDisplay = step === 0 ? 'long' : 'short';
  const format = { style: 'unit', unit: SIZES[step], unitDisplay, maximumFractionDigits: 1 } as const;
  return (bytes / 1_000 ** step).toLocaleString(undefined, format);
}
