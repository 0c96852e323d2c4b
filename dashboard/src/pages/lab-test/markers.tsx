import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { useTeamPath } from '../../api/session.tsx';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { inDollars, turnAroundInWords } from '../../parts/lab-test-status.tsx';
import { measuredInWords } from '../../parts/measured.ts';
import { NumberedPager, usePageNumber } from '../../parts/numbered-pager.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { unitInWords } from '../../parts/unit.ts';

const SIZE = 50;

const read = (team_id: string, lab_test_id: string, page: number) => ({
  queryKey: ['lab_test_markers', team_id, lab_test_id, page],
  queryFn: () =>
    unwrap(
      phial.GET('/v3/lab_tests/{lab_test_id}/markers', {
        params: { path: { lab_test_id }, query: { page, size: SIZE } },
      }),
    ),
});

type Marker = Awaited<ReturnType<ReturnType<typeof read>['queryFn']>>['markers'][number];

/** What the test measures, with the results that each marker gives. */
export function Markers({ testId }: { testId: string }) {
  const query = useQuery(read(useTeamPath().team_id, testId, usePageNumber()));
  return (
    <Section title="Markers">
      <Loaded query={query}>
        {({ markers, total }) =>
          markers.length === 0 ? (
            <Text c="dimmed">The test has no marker.</Text>
          ) : (
            <>
              {markers.length === total && (
                <Text size="sm" c="dimmed" mb="sm">
                  {measuredInWords(markers)}
                </Text>
              )}
              <DataTable caption="Markers" columns={COLUMNS} rows={markers} keyOf={({ id }) => String(id)} />
              <NumberedPager total={total} size={SIZE} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

const COLUMNS: Column<Marker>[] = [
  {
    label: 'Marker',
    isHeader: true,
    render: ({ name, description }) => (
      <div>
        {name}
        {description && (
          <Text size="sm" c="dimmed" fw={400}>
            {description}
          </Text>
        )}
      </div>
    ),
  },
  { label: 'Order code', render: ({ provider_id }) => (provider_id === null ? '–' : <code>{provider_id}</code>) },
  { label: 'Kind', render: ({ type }) => (type === null ? '–' : inWords(type)) },
  { label: 'Results', render: (marker) => <Results marker={marker} /> },
  { label: 'Questions', align: 'right', render: ({ aoe }) => aoe?.questions.length ?? 0 },
  { label: 'Result after', render: turnAroundInWords },
  { label: 'Price', align: 'right', render: ({ price }) => (price === null ? '–' : inDollars(price)) },
];

/** The results of a marker with their LOINC codes and units. */
function Results({ marker: { expected_results, reported_as, unit } }: { marker: Marker }) {
  if (expected_results.length === 0) return reported_as === 'document' ? 'A document' : unitInWords(unit) || '–';
  return (
    <ul style={{ margin: 0, paddingLeft: 18 }}>
      {expected_results.map(({ id, name, loinc, required }) => (
        <li key={id}>
          {name}
          {loinc?.unit && `, ${unitInWords(loinc.unit)}`}
          {loinc && (
            <Text size="sm" c="dimmed" component="span">
              {' '}
              LOINC {loinc.code}
            </Text>
          )}
          {!required && (
            <Text size="sm" c="dimmed" component="span">
              {' '}
              (may be left out)
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
