import type { paths } from '@phial/client';
import { Button, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../../api/client.ts';
import { readAgain } from '../../../api/queries.ts';
import { DataTable } from '../../../parts/data-table.tsx';
import { FormModal } from '../../../parts/form-modal.tsx';
import { Section } from '../../../parts/section.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { inWords } from '../../../parts/status-badge.tsx';
import { ChangeOrRemove } from '../change-or-remove.tsx';
import { useProviderName, useProviders, useRegionPath } from './names.ts';

const PATH = '/v1/org/{org_id}/team_data_pull_preferences/{env}/{region}';
const MOST_DAYS = 365;

type Path = ReturnType<typeof useRegionPath>['path'];
const read = (path: Path, team_id: string) =>
  unwrap(phial.GET(PATH, { params: { path, query: { team_id: [team_id] } } }));
type Preference = Awaited<ReturnType<typeof read>>['data_pull_preferences'][number]['providers'][string];
type Row = { slug: string; days: number; overrides: Preference['resource_overrides'] };
type Slugs = paths[typeof PATH]['delete']['parameters']['query']['provider'];

/** How many days of the past a new connection brings. */
export function DaysOfThePast() {
  const { path, team_id } = useRegionPath();
  const nameOf = useProviderName();
  const [edited, setEdited] = useState<Row | 'new' | null>(null);
  const list = useQuery({ queryKey: ['data_pull_preferences', team_id], queryFn: () => read(path, team_id) });
  const remove = async (slug: string): Promise<void> => {
    const query = { team_id: [team_id], provider: [slug] as Slugs };
    await unwrap(phial.DELETE(PATH, { params: { path, query } }));
    await readAgain('data_pull_preferences');
  };
  return (
    <Section title="Days of the past" actions={<Button onClick={() => setEdited('new')}>Choose days</Button>}>
      <Stack>
        <Text c="dimmed">How far back a new connection begins. Connections that exist do not change.</Text>
        {edited !== null && (
          <ChooseDays
            row={edited === 'new' ? null : edited}
            close={() => setEdited(null)}
            onSet={() => readAgain('data_pull_preferences')}
          />
        )}
        <Loaded query={list}>
          {({ data_pull_preferences: [team] }) => {
            const rows = Object.entries(team?.providers ?? {}).map(
              ([
                slug,
                {
                  default: { historical_days_to_pull },
                  resource_overrides,
                },
              ]) => ({
                slug,
                days: historical_days_to_pull,
                overrides: resource_overrides,
              }),
            );
            if (rows.length === 0) return <Text>Every provider has its usual days. Choose days to change that.</Text>;
            return (
              <DataTable
                caption="Days of the past"
                rows={rows}
                keyOf={({ slug }) => slug}
                columns={[
                  { label: 'Provider', render: ({ slug }) => nameOf(slug), isHeader: true },
                  { label: 'Days', render: ({ days }) => days },
                  { label: 'Other days for', render: ({ overrides }) => overridesInWords(overrides) },
                  {
                    label: 'Action',
                    align: 'right',
                    render: (row) => (
                      <ChangeOrRemove
                        changes={`Change the days of ${nameOf(row.slug)}`}
                        onChange={() => setEdited(row)}
                        action="Remove"
                        question={`Remove the days of ${nameOf(row.slug)}?`}
                        onConfirm={() => remove(row.slug)}
                      >
                        New connections then begin with the usual days of this provider.
                      </ChangeOrRemove>
                    ),
                  },
                ]}
              />
            );
          }}
        </Loaded>
      </Stack>
    </Section>
  );
}

function overridesInWords(overrides: Row['overrides']): string {
  const each = Object.entries(overrides ?? {});
  return each.map(([name, { historical_days_to_pull: days }]) => `${inWords(name)}: ${days}`).join(', ') || '–';
}

type ChooseProps = { row: Row | null; close: () => void; onSet: () => Promise<void> };

function ChooseDays({ row, close, onSet }: ChooseProps) {
  const { path, team_id } = useRegionPath();
  const nameOf = useProviderName();
  const { data: providers = [] } = useProviders();
  const [slug, setSlug] = useState<string | null>(row?.slug ?? null);
  const [days, setDays] = useState<number | string>(row?.days ?? 30);
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      if (slug === null) return;
      // The service replaces all preferences of the provider, so that those of single resources are sent again.
      const resource_overrides = Object.fromEntries(
        Object.entries(row?.overrides ?? {}).map(([name, { historical_days_to_pull }]) => [
          name,
          { historical_days_to_pull },
        ]),
      );
      const preference = { default: { historical_days_to_pull: Number(days) }, resource_overrides };
      const body = { team_ids: [team_id], providers: { [slug]: preference } };
      await unwrap(phial.POST(PATH, { params: { path }, body }));
      close();
      await onSet();
    },
  });
  const title = row ? `Days of the past of ${nameOf(row.slug)}` : 'Choose days of the past';
  return (
    <FormModal isOpen close={close} title={title} action="Save the days" run={run}>
      {row === null && (
        <Select
          label="Provider"
          required
          withAsterisk={false}
          searchable
          nothingFoundMessage="No provider has this name"
          data={providers.map(({ slug: value, name }) => ({ value, label: name }))}
          value={slug}
          onChange={setSlug}
          data-autofocus
        />
      )}
      <NumberInput
        label="Days"
        description={`From 0 to ${MOST_DAYS}. With 0, a connection brings nothing from before it was made.`}
        required
        withAsterisk={false}
        min={0}
        max={MOST_DAYS}
        allowDecimal={false}
        value={days}
        onChange={setDays}
      />
    </FormModal>
  );
}
