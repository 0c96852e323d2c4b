import { Button, Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { problemOf } from '../../parts/field-problems.ts';
import { formatCount } from '../../parts/figure-tile.tsx';
import { useReadAfter } from '../../parts/read-after.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { asWritten, MomentField } from '../../parts/moment-field.tsx';
import { Section } from '../../parts/section.tsx';
import { inWords, StatusBadge, type Tone } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import type { Endpoint } from './endpoint-query.ts';
import { shareDone } from './share-done.ts';

const WEBHOOK = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';
const TONES: Record<string, Tone> = { succeeded: 'good', failed: 'bad', running: 'active', queued: 'active' };

/** Sends a window of the past again. The service keeps the progress, so it is here after a reload too. */
export function Replays({ endpoint }: { endpoint: Endpoint }) {
  const path = { ...useTeamPath(), webhook_id: endpoint.id };
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: ['replays', path.team_id, endpoint.id],
    queryFn: () => unwrap(phial.GET(`${WEBHOOK}/replay`, { params: { path, query: { limit: 5 } } })),
    refetchInterval: ({ state }) => (state.data?.data.some(({ ended_at }) => ended_at === null) ? 2_000 : false),
  });
  const replays = data?.data ?? [];
  useEndsOf(replays);
  return (
    <Section
      title="Replays"
      actions={
        <Button variant="default" onClick={() => setOpen(true)}>
          Replay a window
        </Button>
      }
    >
      {replays.length === 0 ? (
        <Text c="dimmed">A replay sends the events of a window again: all of them, or those that failed.</Text>
      ) : (
        <Stack gap="lg">
          {replays.map((replay) => (
            <ShownReplay key={replay.id} replay={replay} path={path} />
          ))}
        </Stack>
      )}
      {isOpen && <NewReplay path={path} close={() => setOpen(false)} />}
    </Section>
  );
}

type Path = ReturnType<typeof useTeamPath> & { webhook_id: string };
const readReplays = (path: Path) => unwrap(phial.GET(`${WEBHOOK}/replay`, { params: { path, query: { limit: 5 } } }));
type Replay = Awaited<ReturnType<typeof readReplays>>['data'][number];

/** A replay that has ended has changed the attempts and the figures of the endpoint. */
function useEndsOf(replays: readonly Replay[]): void {
  const running = replays.filter(({ ended_at }) => ended_at === null).map(({ id }) => id);
  const ran = useRef<readonly string[]>([]);
  const [ended, setEnded] = useState<string>();
  const now = running.join(' ');
  useEffect(() => {
    const gone = ran.current.find((id) => !now.includes(id));
    ran.current = now.split(' ').filter(Boolean);
    if (gone === undefined) return;
    setEnded(gone);
    void readAgain('attempts', 'event_attempts', 'endpoint_figures', 'webhook');
  }, [now]);
  useReadAfter(ended, 'endpoint_figures');
}

const HELD_UP: Record<string, string> = {
  endpoint_disabled: 'It waits, because the endpoint is disabled.',
  endpoint_failing: 'It only tries from time to time, because the endpoint fails.',
};

function ShownReplay({ replay, path }: { replay: Replay; path: Path }) {
  const { kind, status, since, until, done_until, ended_at, held_up_by } = replay;
  const cancel = useMutation({
    mutationFn: () =>
      unwrap(
        phial.POST(`${WEBHOOK}/replay/{replay_id}/cancel`, { params: { path: { ...path, replay_id: replay.id } } }),
      ),
    onSuccess: () => readAgain('replays'),
  });
  const done = shareDone(replay);
  const label = `${kind === 'recover' ? 'Failed events' : 'All events'} from ${since} until ${until}`;
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <Group gap="xs">
          <StatusBadge tone={TONES[status] ?? 'quiet'}>{inWords(status)}</StatusBadge>
          <Text size="sm">
            {kind === 'recover' ? 'Failed events' : 'All events'}, <Time at={since} /> to <Time at={until} />
          </Text>
        </Group>
        {ended_at === null && (
          <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Stop
          </Button>
        )}
      </Group>
      <Progress value={done} aria-label={label} animated={ended_at === null} />
      <Text size="sm" c="dimmed" mt={4} role="status">
        {formatCount(replay.events_found)} {ended_at === null ? 'events found so far' : 'events'},{' '}
        {formatCount(replay.events_delivered)} delivered, {formatCount(replay.events_failed)} failed,{' '}
        {formatCount(replay.events_skipped)} skipped.{' '}
        {ended_at === null && done_until === null && 'The replay has not begun yet. '}
        {ended_at === null && done_until !== null && (
          <>
            It has read the events until <Time at={done_until} />. How many come after that is not known yet, so the bar
            follows the time of the window, and then its events.{' '}
          </>
        )}
        {held_up_by !== null && HELD_UP[held_up_by]}
      </Text>
    </div>
  );
}

const DAY_MS = 86_400_000;

function NewReplay({ path, close }: { path: Path; close: () => void }) {
  const [kind, setKind] = useState<'recover' | 'replay'>('recover');
  const [since, setSince] = useState(() => asWritten(Date.now() - DAY_MS));
  const [until, setUntil] = useState(() => asWritten(Date.now()));
  const begin = useMutation({
    mutationFn: () => {
      const body = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
      return kind === 'recover'
        ? unwrap(phial.POST(`${WEBHOOK}/recover`, { params: { path }, body }))
        : unwrap(phial.POST(`${WEBHOOK}/replay`, { params: { path }, body }));
    },
    onSuccess: async () => {
      close();
      await readAgain('replays');
    },
  });
  return (
    <FormModal title="Replay a window" action="Replay" run={begin} close={close}>
      <SegmentedControl
        aria-label="Which events"
        value={kind}
        onChange={(value) => setKind(value as typeof kind)}
        data={[
          { value: 'recover', label: 'Only failed events' },
          { value: 'replay', label: 'All events' },
        ]}
      />
      <MomentField label="From" value={since} change={setSince} error={problemOf(begin.error, 'since')} />
      <MomentField label="Until" value={until} change={setUntil} error={problemOf(begin.error, 'until')} />
    </FormModal>
  );
}
