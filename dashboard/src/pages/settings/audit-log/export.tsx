import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useSession } from '../../../api/session.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import type { Filters } from './filters.tsx';
import { exportLines } from './query.ts';

/** The name says which days the file has. */
function nameOf({ since, until }: Filters): string {
  const days = [since, until].filter((day) => day !== undefined);
  return `${['audit-log', ...days].join('-')}.ndjson`;
}

/**
 * Saves the lines that match as a file. It reads them before it saves them, so that a refusal shows here, and a broken
 * connection does not leave a part of a file that looks whole.
 */
export function Export({ filters }: { filters: Filters }) {
  const { org } = useSession();
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const address = URL.createObjectURL(await exportLines(org.id, filters));
      const link = document.createElement('a');
      link.href = address;
      link.download = nameOf(filters);
      link.click();
      // The browser has begun to save it by then.
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    },
  });
  return (
    <Stack gap={4} align="flex-end">
      <Button variant="default" loading={run.isPending} onClick={() => run.mutate()}>
        Export these lines
      </Button>
      {run.isSuccess && (
        <Text size="sm" role="status">
          Saved as {nameOf(filters)}, one JSON object per line.
        </Text>
      )}
      <Refusal error={run.error} />
    </Stack>
  );
}
