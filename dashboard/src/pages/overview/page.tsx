import { Stack } from '@mantine/core';
import { Page } from '../../parts/page.tsx';
import { Deliveries } from './deliveries.tsx';
import { FirstRun, LaterOffer } from './demo-clinic.tsx';
import { Orders } from './orders.tsx';
import { People } from './people.tsx';
import { Waiting } from './waiting.tsx';

export default function Overview() {
  return (
    <Page title="Overview" about="Whether all is well, and what waits for somebody.">
      <Stack gap="xl">
        <FirstRun />
        <Waiting />
        <Orders />
        <Deliveries />
        <People />
        <LaterOffer />
      </Stack>
    </Page>
  );
}
