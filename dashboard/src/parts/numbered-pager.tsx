import { Button, Group, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { formatCount } from './figure-tile.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from './icons.tsx';

/** The number of the page of a list, from the address. The first is 1. */
export function usePageNumber(): number {
  const { page } = useSearch({ strict: false }) as { page?: unknown };
  const number = Number(page);
  return Number.isInteger(number) && number >= 1 && number <= 1_000_000 ? number : 1;
}

/** Leads through a list that the service pages by number. */
export function NumberedPager({ total, size }: { total: number; size: number }) {
  const page = usePageNumber();
  const navigate = useNavigate();
  const last = Math.max(1, Math.ceil(total / size));
  const open = (to: number): void => {
    const merge = ({ page: _page, ...others }: Record<string, unknown>): Record<string, unknown> =>
      to === 1 ? others : { ...others, page: String(to) };
    void navigate({ to: '.', search: merge as never });
    scrollTo({ top: 0 });
  };
  if (last === 1 && page === 1) return null;
  return (
    <Group justify="space-between" component="nav" aria-label="Pages of the list">
      <Button
        variant="default"
        leftSection={<ChevronLeftIcon size={16} />}
        disabled={page === 1}
        onClick={() => open(Math.min(page - 1, last))}
      >
        Previous
      </Button>
      <Text size="sm" c="dimmed">
        Page {formatCount(page)} of {formatCount(last)}
      </Text>
      <Button
        variant="default"
        rightSection={<ChevronRightIcon size={16} />}
        disabled={page >= last}
        onClick={() => open(page + 1)}
      >
        Next
      </Button>
    </Group>
  );
}
