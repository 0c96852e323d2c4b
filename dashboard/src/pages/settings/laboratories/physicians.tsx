import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../../api/client.ts';
import { readAgain } from '../../../api/queries.ts';
import { useTeamPath } from '../../../api/session.tsx';
import { DataTable, type Column } from '../../../parts/data-table.tsx';
import { problemOf } from '../../../parts/field-problems.ts';
import { FormModal } from '../../../parts/form-modal.tsx';
import { Section } from '../../../parts/section.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { ChangeOrRemove } from '../change-or-remove.tsx';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/physician';

type Physician = { first_name: string; last_name: string; npi: string };

/** The physicians of the team. */
export function Physicians() {
  const path = useTeamPath();
  const [edited, setEdited] = useState<Physician | 'new' | null>(null);
  const list = useQuery({
    queryKey: ['physicians', path.team_id],
    queryFn: () => unwrap(phial.GET(PATH, { params: { path } })),
  });
  const remove = async (npi: string): Promise<void> => {
    await unwrap(phial.DELETE(`${PATH}/{npi}`, { params: { path: { ...path, npi } } }));
    await readAgain('physicians');
  };
  const columns: Column<Physician>[] = [
    { label: 'Name', render: nameOf, isHeader: true },
    { label: 'NPI', render: ({ npi }) => npi },
    {
      label: 'Action',
      align: 'right',
      render: (physician) => (
        <ChangeOrRemove
          changes={`Change the name of ${nameOf(physician)}`}
          onChange={() => setEdited(physician)}
          action="Remove"
          question={`Remove ${nameOf(physician)}?`}
          onConfirm={() => remove(physician.npi)}
        >
          Orders keep the physician whom they name. You can add this person again.
        </ChangeOrRemove>
      ),
    },
  ];
  return (
    <Section title="Physicians" actions={<Button onClick={() => setEdited('new')}>Add a physician</Button>}>
      <Stack>
        <Text c="dimmed">Programs of the team can list them. An order can name any other physician too.</Text>
        {edited !== null && (
          <SetPhysician
            physician={edited === 'new' ? null : edited}
            close={() => setEdited(null)}
            onSet={() => readAgain('physicians')}
          />
        )}
        <Loaded query={list}>
          {(physicians) =>
            physicians.length === 0 ? (
              <Text>The team has none. Add the first one with their National Provider Identifier.</Text>
            ) : (
              <DataTable caption="Physicians" columns={columns} rows={physicians} keyOf={({ npi }) => npi} />
            )
          }
        </Loaded>
      </Stack>
    </Section>
  );
}

const nameOf = ({ first_name, last_name }: Physician): string => `${first_name} ${last_name}`;

type SetProps = {
  /** Whose name to change. Null: somebody new. */
  physician: Physician | null;
  close: () => void;
  onSet: () => Promise<void>;
};

function SetPhysician({ physician, close, onSet }: SetProps) {
  const path = useTeamPath();
  const [fields, setFields] = useState<Physician>(physician ?? { first_name: '', last_name: '', npi: '' });
  const set = (changed: Partial<Physician>): void => setFields((before) => ({ ...before, ...changed }));
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      const { npi, first_name, last_name } = fields;
      const body = { first_name: first_name.trim(), last_name: last_name.trim() };
      await unwrap(phial.PUT(`${PATH}/{npi}`, { params: { path: { ...path, npi: npi.trim() } }, body }));
      close();
      await onSet();
    },
  });
  const title = physician ? `Change the name of ${nameOf(physician)}` : 'Add a physician';
  return (
    <FormModal isOpen close={close} title={title} action="Save the physician" run={run}>
      <TextInput
        label="First name"
        required
        withAsterisk={false}
        maxLength={50}
        value={fields.first_name}
        onChange={({ currentTarget }) => set({ first_name: currentTarget.value })}
        error={problemOf(run.error, 'first_name')}
        data-autofocus
      />
      <TextInput
        label="Last name"
        required
        withAsterisk={false}
        maxLength={50}
        value={fields.last_name}
        onChange={({ currentTarget }) => set({ last_name: currentTarget.value })}
        error={problemOf(run.error, 'last_name')}
      />
      {physician === null && (
        <TextInput
          label="NPI"
          description="The National Provider Identifier: ten digits."
          required
          withAsterisk={false}
          inputMode="numeric"
          pattern="\d{10}"
          title="Ten digits"
          maxLength={10}
          value={fields.npi}
          onChange={({ currentTarget }) => set({ npi: currentTarget.value })}
        />
      )}
    </FormModal>
  );
}
