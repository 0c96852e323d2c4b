import { Stack } from '@mantine/core';
import { Page } from '../../parts/page.tsx';
import { Deliveries } from './deliveries.tsx';
import { Laboratories } from './laboratories.tsx';
import { People } from './people.tsx';

export default function Overview() {
  return (
    <Page title="Overview" about="Whether all is well, and what waits for somebody.">
      <Stack gap="xl">
        <Laboratories />
        <Deliveries />
        <People />
      </Stack>
    </Page>
  );
}
