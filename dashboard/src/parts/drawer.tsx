import { CloseButton, Drawer as Panel, Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenerFocus } from './opener-focus.ts';

/** A panel beside the page, for what a row of a list has more of. */
export function Drawer({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  useOpenerFocus(true);
  return (
    <Panel.Root opened onClose={close} position="right" size="lg">
      <Panel.Overlay />
      <Panel.Content aria-label={title}>
        <Panel.Body p="lg">
          <Stack gap="lg">
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <Title order={2} tabIndex={-1} data-autofocus className="page-title" style={{ overflowWrap: 'anywhere' }}>
                {title}
              </Title>
              <CloseButton aria-label="Close" onClick={close} />
            </Group>
            {children}
          </Stack>
        </Panel.Body>
      </Panel.Content>
    </Panel.Root>
  );
}
