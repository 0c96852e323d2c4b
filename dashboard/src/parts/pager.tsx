import { Button, Group } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ChevronLeftIcon, ChevronRightIcon } from './icons.tsx';

const LONGEST_CURSOR = 1_000;

/** The cursor of the page of a list, from the address. Undefined on the first page. */
export function useCursor(): string | undefined {
  const { cursor } = useSearch({ strict: false }) as { cursor?: unknown };
  return typeof cursor === 'string' && cursor !== '' && cursor.length <= LONGEST_CURSOR ? cursor : undefined;
}

/** Leads through a list that pages by cursor. Shows nothing where the list has one page. */
export function Pager({ nextCursor }: { nextCursor: string | null | undefined }) {
  const cursor = useCursor();
  const navigate = useNavigate();
  /** The cursors of the pages before this one, as far as they were visited here. */
  const [before, setBefore] = useState<(string | undefined)[]>([]);
  const open = (to: string | undefined, visited: (string | undefined)[]): void => {
    setBefore(visited);
    const merge = ({ cursor: _cursor, ...others }: Record<string, unknown>): Record<string, unknown> =>
      to === undefined ? others : { ...others, cursor: to };
    void navigate({ to: '.', search: merge as never });
    scrollTo({ top: 0 });
  };
  if (cursor === undefined && !nextCursor) return null;
  return (
    <Group justify="space-between" component="nav" aria-label="Pages of the list">
      {before.length > 0 || cursor === undefined ? (
        <Button
          variant="default"
          leftSection={<ChevronLeftIcon size={16} />}
          disabled={cursor === undefined}
          onClick={() => open(before.at(-1), before.slice(0, -1))}
        >
          Previous
        </Button>
      ) : (
        <Button variant="default" leftSection={<ChevronLeftIcon size={16} />} onClick={() => open(undefined, [])}>
          First page
        </Button>
      )}
      <Button
        variant="default"
        rightSection={<ChevronRightIcon size={16} />}
        disabled={!nextCursor}
        onClick={() => open(nextCursor ?? undefined, [...before, cursor])}
      >
        Next
      </Button>
    </Group>
  );
}
