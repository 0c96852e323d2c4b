import { Anchor, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { phial, unwrap, type components } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { useSession, useTeamPath } from '../../api/session.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useUserCount } from './figures.ts';

const CLINIC = '/v1/org/{org_id}/team/{team_id}/{environment}/demo_clinic';
const AGAIN_MS = 1_000;
const CONTENT =
  '40 invented people with orders in every status, results, wearable data, and two endpoints, one of which fails';

const EMPTY = { all: 'This team is empty', users: 'This team has no users yet' } as const;

type Clinic = components['schemas']['DemoClinic'];
const keyOf = (team_id: string) => ['demo_clinic', team_id];

/** How far the demo clinic of the team is, and the button that loads it. */
function useDemoClinic() {
  const path = useTeamPath();
  const { data: clinic } = useQuery({
    queryKey: keyOf(path.team_id),
    queryFn: () => unwrap(phial.GET(CLINIC, { params: { path } })),
    refetchInterval: ({ state }) => (state.data?.state === 'loading' ? AGAIN_MS : false),
  });
  const load = useMutation({
    mutationFn: () => unwrap(phial.POST(CLINIC, { params: { path } })),
    onSuccess: (begun: Clinic) => queryClient.setQueryData(keyOf(path.team_id), begun),
  });
  return { clinic, load };
}

/** Whether the team has nobody yet. An endpoint may be there already, and shows nothing without users. */
function useHasNobody(clinic: Clinic | undefined): boolean {
  const { data: users } = useUserCount();
  return clinic?.team_is_empty === true || users?.number_of_users === 0;
}

/** The first run: offers an empty team of a sandbox data to look at. The service keeps how far it is. */
export function FirstRun() {
  const { environment } = useSession();
  return environment === 'sandbox' ? <DemoClinic /> : null;
}

/** A team that has begun without the demo clinic can still load it, once. */
export function LaterOffer() {
  const { environment } = useSession();
  return environment === 'sandbox' ? <Offer /> : null;
}

function Offer() {
  const { clinic, load } = useDemoClinic();
  const hasNobody = useHasNobody(clinic);
  if (!clinic || clinic.state !== 'none' || hasNobody) return null;
  const begin = () =>
    load.mutate(undefined, {
      onSuccess: () => {
        // The progress stands above the figures, and this button goes.
        scrollTo({ top: 0 });
        document.querySelector<HTMLElement>('h1.page-title')?.focus();
      },
    });
  return (
    <Group gap="sm">
      <Text size="sm" c="dimmed">
        This sandbox has no demo clinic. Loading one adds to what is here: {CONTENT}.
      </Text>
      <Button variant="default" size="xs" loading={load.isPending} onClick={begin}>
        Load a demo clinic
      </Button>
      <Refusal error={load.error} />
    </Group>
  );
}

function DemoClinic() {
  const { clinic, load } = useDemoClinic();
  const hasNobody = useHasNobody(clinic);
  const wasLoading = useRef(false);
  const state = clinic?.state;
  useEffect(() => {
    if (state === 'loading') wasLoading.current = true;
    // The figures beneath are those of the empty team.
    else if (wasLoading.current)
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'demo_clinic' });
  }, [state]);
  if (!clinic) return null;
  if (clinic.state === 'loading') return <Progressing done={clinic.done} total={clinic.total} next={clinic.next} />;
  if (clinic.state === 'loaded') return wasLoading.current ? <Loaded /> : null;
  const hasFailed = clinic.state === 'failed';
  if (!hasFailed && !hasNobody) return null;
  return (
    <Frame title={hasFailed ? 'The demo clinic stopped' : EMPTY[clinic.team_is_empty ? 'all' : 'users']}>
      <Text>
        {hasFailed
          ? 'A step failed three times. Go on with it. If it fails again, tell your operator.'
          : `A demo clinic fills it within a minute with ${CONTENT}. Or create a user yourself.`}
      </Text>
      <Refusal error={load.error} />
      <Group gap="sm">
        <Button loading={load.isPending} onClick={() => load.mutate()}>
          {hasFailed ? 'Go on' : 'Load a demo clinic'}
        </Button>
        {!hasFailed && (
          <Button variant="default" component={Link} to="/users" search={{ new: 'user' } as never}>
            Create a user
          </Button>
        )}
      </Group>
    </Frame>
  );
}

function Progressing({ done, total, next }: { done: number; total: number; next: string | null }) {
  return (
    <Frame title="The demo clinic is being loaded">
      <Progress value={(done / total) * 100} aria-label="Steps of the demo clinic" animated />
      <Text size="sm" c="dimmed" role="status">
        {done} of {total} steps. {next !== null && `Next: ${next}.`} You can leave this page.
      </Text>
    </Frame>
  );
}

const PLACES = [
  ['/critical-results', 'acknowledge a critical result'],
  ['/webhooks', 'find out why an endpoint fails'],
  ['/users', 'look at the days of a patient'],
] as const;

function Loaded() {
  return (
    <Frame title="The demo clinic is loaded">
      <Text role="status">
        Every page shows something now. Begin here:{' '}
        {PLACES.map(([to, words], n) => (
          <span key={to}>
            {n > 0 && ', '}
            <Anchor component={Link} to={to} underline="always">
              {words}
            </Anchor>
          </span>
        ))}
        .
      </Text>
    </Frame>
  );
}

function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="demo-clinic">
      <Stack gap="sm">
        <Title order={2} id="demo-clinic">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}
