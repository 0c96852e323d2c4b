import { Paper, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Tone } from './status-badge.tsx';
import classes from './figure-tile.module.css';

type FigureTileProps = {
  label: string;
  /** The figure. Undefined while it is awaited, null if there is none. */
  value: ReactNode;
  /** A line beneath: what the figure counts, or what is behind it. */
  note?: ReactNode;
  tone?: Tone;
  /** The list behind the figure, with its filters. The page has to exist. */
  to?: string;
  search?: Record<string, string>;
};

/** One figure of an overview. As a whole it leads to its list. */
export function FigureTile({ label, value, note, tone = 'quiet', to, search }: FigureTileProps) {
  const content = (
    <>
      <span className={classes['label']}>{label}</span>
      <span className={classes['value']}>
        {value === undefined ? <Skeleton height={34} width={72} component="span" display="block" /> : (value ?? '–')}
      </span>
      {note !== undefined && <span className={classes['note']}>{note}</span>}
    </>
  );
  if (to === undefined)
    return (
      <Paper withBorder className={classes['tile']} data-tone={tone}>
        {content}
      </Paper>
    );
  return (
    <Paper
      withBorder
      className={classes['tile']}
      data-tone={tone}
      component={Link}
      to={to}
      search={(search ?? {}) as never}
    >
      {content}
    </Paper>
  );
}

/** Numbers as the viewer writes them: 12,345. */
export const formatCount = (count: number): string => count.toLocaleString();
