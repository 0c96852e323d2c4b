import { SimpleGrid, Stack, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { Failed } from '../../parts/states.tsx';

type SectionProps = {
  title: string;
  /** What the tiles are made from. If it fails, the section says so in the place of its tiles. */
  query: Pick<UseQueryResult, 'data' | 'error' | 'refetch'>;
  children: ReactNode;
};

export function FiguresSection({ title, query: { data, error, refetch }, children }: SectionProps) {
  const id = useId();
  return (
    <Stack gap="sm" component="section" aria-labelledby={id}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {error && data === undefined ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <SimpleGrid cols={{ base: 2, md: 3 }} spacing="md">
          {children}
        </SimpleGrid>
      )}
    </Stack>
  );
}
