import { Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { Interpretation } from '../../parts/order-status.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { TrendLink } from '../../parts/trend-link.tsx';
import { unitInWords, valueInWords, withUnit } from '../../parts/unit.ts';
import type { Order } from './order-query.ts';
import { RangeBar } from './range-bar.tsx';
import classes from './results.module.css';

/** The results of an order, each with its range, its flag, and what was reported before. */
export function Results({ order }: { order: Order }) {
  const query = useQuery({
    queryKey: ['results', order.id, order.last_event.id],
    queryFn: () => unwrap(phial.GET('/v3/order/{order_id}/result', { params: { path: { order_id: order.id } } })),
    enabled: order.interpretation !== null,
  });
  if (order.interpretation === null) return null;
  return (
    <Section title="Results">
      {query.data ? (
        <Shown results={query.data} userId={order.user_id} />
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
    </Section>
  );
}

const readResults = (order_id: string) =>
  unwrap(phial.GET('/v3/order/{order_id}/result', { params: { path: { order_id } } }));
type Results = Awaited<ReturnType<typeof readResults>>;
type Result = Results['results'][number];

function Shown({ results, userId }: { results: Results; userId: string }) {
  const { metadata, missing_results } = results;
  // The service calls a report final also after a correction.
  const isCorrected = results.results.some(({ status }) => status === 'corrected');
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {metadata.laboratory ?? 'The laboratory'}, {inWords(isCorrected ? 'corrected' : metadata.status).toLowerCase()},
        reported <Time at={metadata.date_reported} />
        {metadata.date_collected && (
          <>
            , collected <Time at={metadata.date_collected} />
          </>
        )}
        {metadata.specimen_number && `, specimen ${metadata.specimen_number}`}
      </Text>
      <Table className={classes['results']} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Marker</Table.Th>
            <Table.Th scope="col">Result</Table.Th>
            <Table.Th scope="col">Range</Table.Th>
            <Table.Th scope="col">Meaning</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {results.results.map((result) => (
            <Row key={`${result.slug} ${result.source_sample_id}`} result={result} userId={userId} />
          ))}
        </Table.Tbody>
      </Table>
      {missing_results && missing_results.length > 0 && (
        <div>
          <Text fw={600} mb={4}>
            Without a result
          </Text>
          {missing_results.map(({ slug, name, inferred_failure_type, note }) => (
            <Text key={slug} size="sm">
              {name}: {inWords(inferred_failure_type).toLowerCase()}
              {note && `. ${note}`}
            </Text>
          ))}
        </div>
      )}
    </Stack>
  );
}

function Row({ result, userId }: { result: Result; userId: string }) {
  const { name, slug, loinc, unit, reference_range, interpretation, notes, status, previous_result, history } = result;
  return (
    <Table.Tr>
      <Table.Th scope="row">
        {name}
        <Text size="sm" fw={400} component="div">
          <TrendLink userId={userId} marker={loinc ?? slug} name={name} />
        </Text>
      </Table.Th>
      <Table.Td data-label="Result">
        <Text fw={600}>{withUnit(result.result, unit)}</Text>
        {status === 'corrected' && previous_result !== null && (
          <Text size="sm">Corrected, was {valueInWords(unitInWords(previous_result))}</Text>
        )}
        {history.length > 0 && <History history={history} />}
        {notes !== null && (
          <Text size="sm" c="dimmed">
            {notes}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="Range">
        {reference_range === null ? '–' : withUnit(reference_range, unit)}
        <RangeBar result={result} />
      </Table.Td>
      <Table.Td data-label="Meaning">
        <Group gap={6}>
          <Interpretation value={interpretation} />
          <Direction result={result} />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function Direction({ result: { is_above_max_range, is_below_min_range } }: { result: Result }) {
  if (is_above_max_range) return <Text size="sm">High</Text>;
  if (is_below_min_range) return <Text size="sm">Low</Text>;
  return null;
}

/** What the laboratory reported for the marker before, oldest first. */
function History({ history }: { history: Result['history'] }) {
  return (
    <details className={classes['history']}>
      <summary>{history.length === 1 ? 'One earlier value' : `${history.length} earlier values`}</summary>
      <ul>
        {history.map(({ result, unit, status, timestamp, came_late }, n) => (
          <li key={n}>
            {withUnit(result, unit)} ({status}
            {came_late && ', arrived late'}) {timestamp !== null && <Time at={timestamp} />}
          </li>
        ))}
      </ul>
    </details>
  );
}
