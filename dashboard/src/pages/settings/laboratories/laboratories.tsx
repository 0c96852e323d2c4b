import { Stack } from '@mantine/core';
import { Accounts } from './accounts.tsx';
import { Physicians } from './physicians.tsx';

/** What orders at laboratories name: physicians and accounts. */
export function Laboratories() {
  return (
    <Stack gap="lg">
      <Physicians />
      <Accounts />
    </Stack>
  );
}
