import { Group, Table, Text } from '@mantine/core';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { withUnit } from '../../parts/unit.ts';
import type { Result } from './unmatched-query.ts';

type Marker = Result['markers'][number];

/** What the report says, by which somebody may recognise whose it is. */
export function Values({ markers }: { markers: readonly Marker[] }) {
  if (markers.length === 0) return <Text c="dimmed">The report has no value.</Text>;
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Marker</Table.Th>
          <Table.Th scope="col">Result</Table.Th>
          <Table.Th scope="col">Range</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {markers.map((marker, n) => (
          <Row key={n} marker={marker} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ marker }: { marker: Marker }) {
  const { name, provider_id, result, unit, reference_range } = marker;
  const side = sideOf(marker);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {name ?? provider_id ?? 'Without a name'}
      </Table.Th>
      <Table.Td>
        <Group gap={6}>
          <Text span {...(side !== null && { fw: 600 })}>
            {withUnit(result, unit)}
          </Text>
          {side !== null && <StatusBadge tone="warning">{side}</StatusBadge>}
        </Group>
      </Table.Td>
      <Table.Td>{reference_range === null ? '–' : withUnit(reference_range, unit)}</Table.Td>
    </Table.Tr>
  );
}

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const BETWEEN = new RegExp(`^${NUMBER}\\s*[-–]\\s*${NUMBER}$`);
const BELOW = new RegExp(`^<(=?)\\s*${NUMBER}$`);
const ABOVE = new RegExp(`^>(=?)\\s*${NUMBER}$`);

/** Whether a value is above or below its range. Null if it is within, or if one of them is no plain number. */
function sideOf({ result, reference_range }: Marker): 'High' | 'Low' | null {
  const range = (reference_range ?? '').trim();
  const value = Number(result?.trim() || Number.NaN);
  const [, low, high] = BETWEEN.exec(range) ?? [];
  if (low !== undefined && value < Number(low)) return 'Low';
  if (high !== undefined && value > Number(high)) return 'High';
  const [, orSame, most] = BELOW.exec(range) ?? [];
  if (most !== undefined && (value > Number(most) || (orSame === '' && value === Number(most)))) return 'High';
  const [, orEqual, least] = ABOVE.exec(range) ?? [];
  if (least !== undefined && (value < Number(least) || (orEqual === '' && value === Number(least)))) return 'Low';
  return null;
}
