import { Button, Code, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PhialError, type ErrorCode } from '../api/client.ts';
import { RefreshIcon } from './icons.tsx';
import { isProblem, noSuchThing, problemWithField } from './problem-words.ts';

/** Grey bars where content will be. */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, n) => (
        <Skeleton key={n} height={n === 0 ? 28 : 18} width={n === 0 ? '40%' : '100%'} radius="sm" />
      ))}
    </Stack>
  );
}

type EmptyProps = {
  /** Says that there is nothing: "No order has this status". */
  title: string;
  /** Says what to do next. */
  children: ReactNode;
  /** A button or link that does it. */
  action?: ReactNode;
};

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <Paper withBorder p="xl" className="empty-state">
      <Stack gap={6} align="center">
        <Title order={2} size="h4" ta="center">
          {title}
        </Title>
        <Text c="dimmed" ta="center" maw={460}>
          {children}
        </Text>
        {action !== undefined && <div style={{ marginTop: 12 }}>{action}</div>}
      </Stack>
    </Paper>
  );
}

/** What to do about a refusal. A code that is not here speaks for itself by its detail. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  insufficient_scope: 'Ask an administrator of your organisation for this right.',
  not_found: 'It may have been deleted, or belong to another team. Choose the team at the top of the page.',
  rate_limited: 'Wait a moment, then try again.',
};

export function describeError(error: unknown): { title: string; advice: string; requestId: string | null } {
  if (!(error instanceof PhialError)) {
    // What fetch() throws if it gets no response.
    const isUnreachable = error instanceof TypeError;
    return {
      title: isUnreachable ? 'The service cannot be reached' : 'This page has a fault',
      advice: isUnreachable ? 'Check your connection, then try again.' : String(error),
      requestId: null,
    };
  }
  const said = typeof error.detail === 'string' ? error.detail : problemsOf(error.detail);
  const known = new Map<string, string>(Object.entries(ADVICE)).get(error.code);
  // A response can be lost after a change was made.
  const advice = error.status >= 500 ? 'Wait a moment, look whether it was done, then try again.' : known;
  return { title: said || 'The service refused this', advice: advice ?? '', requestId: error.requestId };
}

/** The problems of a refused input, in one line. */
function problemsOf(detail: unknown): string {
  const problems = Array.isArray(detail) ? detail.filter(isProblem) : [];
  return noSuchThing(problems) ?? problems.map(problemWithField).join(' ');
}

export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, advice, requestId } = describeError(error);
  return (
    <Paper withBorder p="lg" role="alert" className="failed-state">
      <Stack gap={6} align="flex-start">
        <Text fw={600}>{title}</Text>
        {advice !== '' && <Text c="dimmed">{advice}</Text>}
        {requestId !== null && (
          <Text size="sm" c="dimmed">
            If it happens again, give this to your operator: <Code>{requestId}</Code>
          </Text>
        )}
        {retry && (
          <Button mt="xs" variant="default" leftSection={<RefreshIcon size={16} />} onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Paper>
  );
}

type LoadedProps<Data> = {
  query: UseQueryResult<Data>;
  /** What is shown while the first response is awaited. Default: grey bars. */
  pending?: ReactNode;
  children: (data: Data) => ReactNode;
};

/** Shows a query: awaited, failed, or its data. Data that was read stays when a later reading fails. */
export function Loaded<Data>({ query, pending = <Loading />, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return pending;
}
