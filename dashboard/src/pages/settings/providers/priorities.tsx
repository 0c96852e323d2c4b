import type { paths } from '@phial/client';
import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { phial, unwrap } from '../../../api/client.ts';
import { useTeamPath } from '../../../api/session.tsx';
import { ChevronDownIcon, ChevronUpIcon, CloseIcon } from '../../../parts/icons.tsx';
import { Refusal } from '../../../parts/refusal.tsx';
import { Section } from '../../../parts/section.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { useProviderName, useProviders } from './names.ts';
import classes from './priorities.module.css';

const PATH = '/v2/team/source/priorities';
type Kind = paths[typeof PATH]['patch']['requestBody']['content']['application/json'][number];
const KINDS: { value: Kind['data_type']; label: string }[] = [
  { value: 'sleep', label: 'Sleep' },
  { value: 'activity', label: 'Activity' },
  { value: 'workouts', label: 'Workouts' },
  { value: 'body', label: 'Body' },
  { value: 'timeseries', label: 'Samples' },
];

/** Which provider counts where several report the same. */
export function Priorities() {
  const { team_id } = useTeamPath();
  const [kind, setKind] = useState<Kind['data_type']>('sleep');
  const list = useQuery({
    queryKey: ['source_priorities', team_id],
    queryFn: () => unwrap(phial.GET(PATH)),
  });
  return (
    <Section title="Which provider counts first">
      <Stack>
        <Text c="dimmed">
          Where several providers report the same, aggregates use the first of this order. All data is stored.
        </Text>
        <Select
          label="Kind of data"
          data={KINDS}
          value={kind}
          onChange={(value) => setKind((value as Kind['data_type'] | null) ?? 'sleep')}
          allowDeselect={false}
          w={{ base: '100%', xs: 280 }}
        />
        <Loaded query={list}>
          {(all) => {
            const ofKind = all.filter(({ data_type }) => data_type === kind);
            const order = ofKind
              .toSorted((one, other) => one.priority - other.priority)
              .map(({ source }) => source.slug);
            return <Order key={kind} kind={kind} order={order} />;
          }}
        </Loaded>
      </Stack>
    </Section>
  );
}

/** The order of one kind of data. Each button stores it at once. */
function Order({ kind, order }: { kind: Kind['data_type']; order: string[] }) {
  const { team_id } = useTeamPath();
  const nameOf = useProviderName();
  const queries = useQueryClient();
  const [said, setSaid] = useState('');
  const whole = useRef<HTMLDivElement>(null);
  const store = useMutation({
    mutationFn: async ({ providers, words }: { providers: string[]; words: string }): Promise<void> => {
      const body = [{ data_type: kind, providers: providers as Kind['providers'] }];
      const stored = await unwrap(phial.PATCH(PATH, { body }));
      queries.setQueryData(['source_priorities', team_id], stored);
      setSaid(words);
    },
  });
  const place = (slug: string, to: number): void => {
    const providers = order.filter((each) => each !== slug);
    providers.splice(to, 0, slug);
    store.mutate({ providers, words: `${nameOf(slug)} is number ${to + 1}.` });
  };
  const drop = (slug: string): void => {
    // The button goes away with its row. The keyboard goes on from the order.
    whole.current?.focus();
    store.mutate({ providers: order.filter((each) => each !== slug), words: `${nameOf(slug)} is out of the order.` });
  };
  return (
    <Stack gap="sm" ref={whole} tabIndex={-1}>
      {order.length === 0 ? (
        <Text>No provider comes before another. Add the one that you trust most.</Text>
      ) : (
        <ol className={classes['order']}>
          {order.map((slug, at) => (
            <li key={slug}>
              <span>{nameOf(slug)}</span>
              <Group gap={4} wrap="nowrap">
                <Move
                  label={`Move ${nameOf(slug)} up`}
                  isOff={at === 0 || store.isPending}
                  run={() => place(slug, at - 1)}
                >
                  <ChevronUpIcon size={16} />
                </Move>
                <Move
                  label={`Move ${nameOf(slug)} down`}
                  isOff={at === order.length - 1 || store.isPending}
                  run={() => place(slug, at + 1)}
                >
                  <ChevronDownIcon size={16} />
                </Move>
                <Move label={`Take ${nameOf(slug)} out of the order`} isOff={store.isPending} run={() => drop(slug)}>
                  <CloseIcon size={16} />
                </Move>
              </Group>
            </li>
          ))}
        </ol>
      )}
      <AddProvider order={order} add={(slug) => place(slug, order.length)} />
      <Text size="sm" role="status">
        {said}
      </Text>
      <Refusal error={store.error} />
    </Stack>
  );
}

type MoveProps = { label: string; isOff: boolean; run: () => void; children: ReactNode };

/** A button that cannot be used keeps the focus, so that the keyboard goes on from the row that was moved. */
function Move({ label, isOff, run, children }: MoveProps) {
  return (
    <ActionIcon
      variant="default"
      aria-label={label}
      aria-disabled={isOff}
      data-disabled={isOff || undefined}
      onClick={() => {
        if (!isOff) run();
      }}
    >
      {children}
    </ActionIcon>
  );
}

function AddProvider({ order, add }: { order: string[]; add: (slug: string) => void }) {
  const { data = [] } = useProviders();
  return (
    <Select
      label="Add a provider"
      description="It comes last. Move it up from there."
      placeholder="Choose"
      w={{ base: '100%', xs: 280 }}
      searchable
      nothingFoundMessage="No other provider has this name"
      data={data.filter(({ slug }) => !order.includes(slug)).map(({ slug, name }) => ({ value: slug, label: name }))}
      value={null}
      onChange={(slug) => slug !== null && add(slug)}
    />
  );
}
