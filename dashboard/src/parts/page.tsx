import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';

/** The heading takes the focus after each navigation, and not when the dashboard opens. */
let hasOpened = false;

type PageProps = {
  title: string;
  /** The heading, if it has more than the title: the browser keeps titles in its history. */
  heading?: string;
  /** One sentence beneath the title. */
  about?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
};

/** The frame of each page: the title of the tab, the heading, actions, content. */
export function Page({ title, heading: shown = title, about, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Phial`;
  }, [title]);
  useEffect(() => {
    // A screen reader then reads the new title, and Tab goes on from there.
    if (hasOpened) heading.current?.focus();
    hasOpened = true;
  }, []);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className="page-about">
          <Title order={1} ref={heading} tabIndex={-1} className="page-title">
            {shown}
          </Title>
          {about !== undefined && (
            <Text c="dimmed" mt={4} component="div">
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
