import { Button, Fieldset, Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { Interpretation } from '../../parts/order-status.tsx';
import type { ReadResult } from './report-query.ts';
import type { Row } from './corrected.ts';

const FIELDS = [
  { name: 'test_name', label: 'Test', required: true, maxLength: 200 },
  { name: 'value', label: 'Value', required: true, maxLength: 200 },
  { name: 'units', label: 'Unit', maxLength: 40 },
  { name: 'reference_range', label: 'Range', placeholder: 'such as 70-99', maxLength: 100 },
  { name: 'flag', label: 'Flag', placeholder: 'such as H', maxLength: 20 },
  { name: 'source_panel_name', label: 'Heading', maxLength: 200 },
] as const;

type Props = {
  row: Row;
  change: (row: Row) => void;
  remove: () => void;
  problem: (field: string) => string | undefined;
};

/** One line of the report, to be corrected. */
export function ResultRow({ row, change, remove, problem }: Props) {
  return (
    <Fieldset legend={row.test_name || 'A result'}>
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
        {FIELDS.map(({ name, ...field }) => (
          <TextInput
            key={name}
            {...field}
            value={row[name]}
            onChange={({ currentTarget: { value } }) => change({ ...row, [name]: value })}
            error={problem(name)}
          />
        ))}
      </SimpleGrid>
      <Group justify="space-between" mt="sm">
        {row.read ? <Match read={row.read} /> : <Text size="sm">It is matched when you save it.</Text>}
        <Button size="sm" variant="default" onClick={remove} aria-label={`Remove ${row.test_name || 'a result'}`}>
          Remove
        </Button>
      </Group>
    </Fieldset>
  );
}

const SURE: Record<string, string> = { auto_match: '', needs_review: ', not for certain', no_match: '' };

function Match({ read: { loinc_matches, loinc_match_status, interpretation } }: { read: ReadResult }) {
  const [match] = loinc_matches ?? [];
  return (
    <Group gap="xs">
      {interpretation !== null && <Interpretation value={interpretation} />}
      <Text size="sm">
        {match
          ? `LOINC ${match.loinc_code} ${match.display_name}${SURE[loinc_match_status ?? ''] ?? ''}`
          : 'No LOINC code has this name'}
      </Text>
    </Group>
  );
}
