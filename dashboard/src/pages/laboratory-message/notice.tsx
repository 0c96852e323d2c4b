import { Paper, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import classes from './message.module.css';

type Props = { tone: Tone; title: string; role?: 'status'; children: ReactNode };

/** What has to be known before anything else on the page. */
export function Notice({ tone, title, role, children }: Props) {
  return (
    <Paper withBorder p="lg" role={role} className={classes['notice']} data-tone={tone}>
      <Stack gap="xs" align="flex-start">
        <StatusBadge tone={tone}>{title}</StatusBadge>
        {children}
      </Stack>
    </Paper>
  );
}
