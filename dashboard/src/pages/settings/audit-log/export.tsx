import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useSession } from '../../../api/session.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { asCsv, type Names } from './as-csv.ts';
import type { Filters } from './filters.tsx';
import { exportLines } from './query.ts';

type Format = 'csv' | 'ndjson';
const CONTENTS: Record<Format, string> = { csv: 'for a spreadsheet', ndjson: 'one JSON object per line' };

/** The name says which days the file has. */
function nameOf({ since, until }: Filters, format: Format): string {
  const days = [since, until].filter((day) => day !== undefined);
  return `${['audit-log', ...days].join('-')}.${format}`;
}

/**
 * Saves the lines that match as a file. It reads them before it saves them, so that a refusal shows here, and a broken
 * connection does not leave a part of a file that looks whole.
 */
export function Export({ filters, names }: { filters: Filters; names: Names }) {
  const { org } = useSession();
  const run = useMutation({
    mutationFn: async (format: Format): Promise<void> => {
      const lines = await exportLines(org.id, filters);
      const address = URL.createObjectURL(
        format === 'ndjson' ? lines : new Blob([asCsv(await lines.text(), names)], { type: 'text/csv' }),
      );
      const link = document.createElement('a');
      link.href = address;
      link.download = nameOf(filters, format);
      link.click();
      // The browser has begun to save it by then.
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    },
  });
  const isRunning = (format: Format): boolean => run.isPending && run.variables === format;
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs">
        <Button variant="default" loading={isRunning('csv')} onClick={() => run.mutate('csv')}>
          Export these lines
        </Button>
        <Button variant="subtle" loading={isRunning('ndjson')} onClick={() => run.mutate('ndjson')}>
          As JSON
        </Button>
      </Group>
      {run.isSuccess && (
        <Text size="sm" role="status">
          Saved as {nameOf(filters, run.variables)}, {CONTENTS[run.variables]}.
        </Text>
      )}
      <Refusal error={run.error} />
    </Stack>
  );
}
