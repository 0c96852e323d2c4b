import { Stack } from '@mantine/core';
import { Credentials } from './credentials.tsx';
import { DaysOfThePast } from './days-of-the-past.tsx';
import { Priorities } from './priorities.tsx';
import { Scopes } from './scopes.tsx';

/** How the team connects providers, and which of them counts first. */
export function Providers() {
  return (
    <Stack gap="lg">
      <Credentials />
      <Priorities />
      <DaysOfThePast />
      <Scopes />
    </Stack>
  );
}
