import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../../../api/session.tsx';
import { CopyableId } from '../../../parts/copyable-id.tsx';
import { DataTable, type Column } from '../../../parts/data-table.tsx';
import { isBackwards } from '../../../parts/day-filter.tsx';
import { useFilters } from '../../../parts/filters.ts';
import { Pager, useCursor } from '../../../parts/pager.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { inWords, StatusBadge } from '../../../parts/status-badge.tsx';
import { Time } from '../../../parts/time.tsx';
import { actorInWords, useCallerName } from './callers.ts';
import type { Names } from './as-csv.ts';
import { Export } from './export.tsx';
import { AuditFilters, FILTERS, type Filters } from './filters.tsx';
import { readLines, type AuditLine } from './query.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Who read or changed which records. */
export function AuditLog() {
  const [filters, change] = useFilters(FILTERS);
  const { org } = useSession();
  const cursor = useCursor();
  const problem = problemOf(filters);
  const list = useQuery({
    queryKey: ['audit_log', org.id, filters, cursor],
    queryFn: () => readLines(org.id, filters, cursor),
    placeholderData: (before) => before,
    enabled: problem === null,
  });
  const names = useNames();
  const columns = columnsWith(names);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={560}>
          Who read or changed which records. Without dates: the last 31 days. To see who opened a patient’s orders,
          enter the id of the user.
        </Text>
        {problem === null && <Export filters={filters} names={names} />}
      </Group>
      <AuditFilters filters={filters} change={change} />
      {problem === null ? (
        <Loaded query={list}>
          {({ data, next_cursor }) => (
            <>
              {data.length === 0 ? (
                <Nothing isFiltered={isFiltered} hasMore={next_cursor !== null} clear={() => change(NOTHING)} />
              ) : (
                <DataTable caption="Audit log" columns={columns} rows={data} keyOf={({ id }) => id} />
              )}
              <Pager nextCursor={next_cursor} />
            </>
          )}
        </Loaded>
      ) : (
        problem
      )}
    </Stack>
  );
}

/** What has to be mended in the filters before they can be asked for. */
function problemOf({ record, since, until }: Filters): ReactNode {
  if (record !== undefined && !UUID.test(record))
    return (
      <Empty title="This is not a whole id">An id has 36 characters. Copy it on the page of the user or order.</Empty>
    );
  if (isBackwards(since, until))
    return <Empty title="No day is in this range">“Since” is after “Until”. Choose another day in one of them.</Empty>;
  return null;
}

const NOTHING = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, null]));

function Nothing({ isFiltered, hasMore, clear }: { isFiltered: boolean; hasMore: boolean; clear: () => void }) {
  // The service looks at a part of a long log at a time.
  if (hasMore)
    return <Empty title="No line of this part matches">Older lines may match. Go on to the next page.</Empty>;
  if (!isFiltered) return <Empty title="There are no lines of these 31 days">Choose an earlier day in “Since”.</Empty>;
  return (
    <Empty
      title="No line matches"
      action={
        <Button variant="default" onClick={clear}>
          Clear the filters
        </Button>
      }
    >
      Choose an earlier day in “Since”, or take a filter away. Without dates you see the last 31 days.
    </Empty>
  );
}

function useNames(): Names {
  const { teams } = useSession();
  return {
    callerOf: useCallerName(),
    teamOf: (id) => teams.find((team) => team.id === id)?.name ?? 'A deleted team, or another',
  };
}

function columnsWith({ callerOf, teamOf }: Names): Column<AuditLine>[] {
  return [
    { label: 'Operation', render: ({ action }) => inWords(action.replaceAll('.', ' ')), isHeader: true },
    { label: 'When', render: ({ created_at }) => <Time at={created_at} /> },
    { label: 'Caller', render: (line) => <Caller line={line} name={callerOf(line)} /> },
    { label: 'Team', render: ({ team_id }) => (team_id === null ? '–' : teamOf(team_id)) },
    { label: 'Records', render: ({ records }) => <Records ids={records} /> },
    { label: 'Outcome', render: ({ status }) => <Outcome status={status} /> },
    { label: 'From', render: ({ address }) => address ?? '–' },
  ];
}

function Caller({ line: { actor, key_id }, name }: { line: AuditLine; name: string | null }) {
  const kind = actorInWords(actor);
  return (
    <div>
      {name ?? kind}
      {name !== null && (
        <Text size="sm" c="dimmed">
          {kind}
        </Text>
      )}
      {name === null && key_id !== null && (
        <div>
          <CopyableId value={key_id} label="the id of the caller" />
        </div>
      )}
    </div>
  );
}

const SHOWN = 2;

/** A line names a record twice where the path and the response have its id. */
function Records({ ids: named }: { ids: string[] }) {
  const ids = [...new Set(named)];
  if (ids.length === 0) return '–';
  return (
    <div>
      {ids.slice(0, SHOWN).map((id) => (
        <div key={id}>
          <CopyableId value={id} label="the id of the record" />
        </div>
      ))}
      {ids.length > SHOWN && (
        <Text size="sm" c="dimmed">
          and {ids.length - SHOWN} more
        </Text>
      )}
    </div>
  );
}

/** The status of the response, in a word. A job of the service has none. */
function Outcome({ status }: { status: number | null }) {
  if (status === null) return <StatusBadge tone="quiet">Done</StatusBadge>;
  if (status < 400) return <StatusBadge tone="good">Done</StatusBadge>;
  return <StatusBadge tone="warning">{`Refused, ${status}`}</StatusBadge>;
}
