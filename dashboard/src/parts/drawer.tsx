import { Drawer as Panel, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

/** A panel beside the page, for what a row of a list has more of. */
export function Drawer({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  return (
    <Panel opened onClose={close} title={title} position="right" size="lg">
      <Stack gap="lg">{children}</Stack>
    </Panel>
  );
}
