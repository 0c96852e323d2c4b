import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';

/** The heading takes the focus after each navigation, and not when the dashboard opens. */
let hasOpened = false;

type PageProps = {
  title: string;
  /** The title of the browser's tab, if the heading names a patient: browsers keep it. Default: the heading. */
  tab?: string;
  /** One sentence beneath the title. */
  about?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
};

/** The frame of each page: the title of the tab, the heading, actions, content. */
export function Page({ title, tab = title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${tab} · Phial`;
  }, [tab]);
  useEffect(() => {
    // A screen reader then reads the new title, and Tab goes on from there.
    if (hasOpened) heading.current?.focus();
    hasOpened = true;
  }, []);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} ref={heading} tabIndex={-1} className="page-title">
            {title}
          </Title>
          {about !== undefined && (
            <Text c="dimmed" mt={4}>
              {about}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
