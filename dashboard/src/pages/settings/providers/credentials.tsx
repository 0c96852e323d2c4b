import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../../api/client.ts';
import { readAgain } from '../../../api/queries.ts';
import { DataTable, type Column } from '../../../parts/data-table.tsx';
import { Section } from '../../../parts/section.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { ChangeOrRemove } from '../change-or-remove.tsx';
import { useProviderName, useRegionPath } from './names.ts';
import { SetCredentials } from './set-credentials.tsx';

const PATH = '/v1/org/{org_id}/team_custom_credentials/{env}/{region}';
/** A team has one application at a provider, so that all of them fit on one page. */
const ALL = 100;

type Path = ReturnType<typeof useRegionPath>['path'];
const read = (path: Path, team_id: string) =>
  unwrap(phial.GET(PATH, { params: { path, query: { team_id: [team_id], limit: ALL } } }));
export type Application = Awaited<ReturnType<typeof read>>['credentials'][number];

/** The applications that the team has at providers. */
export function Credentials() {
  const { path, team_id } = useRegionPath();
  const nameOf = useProviderName();
  /** What the form is open for: an application, or a new one. */
  const [edited, setEdited] = useState<Application | 'new' | null>(null);
  const list = useQuery({ queryKey: ['team_credentials', team_id], queryFn: () => read(path, team_id) });
  const remove = async (id: string): Promise<void> => {
    await unwrap(phial.DELETE(PATH, { params: { path, query: { credential_id: [id] } } }));
    await readAgain('team_credentials');
  };
  const columns: Column<Application>[] = [
    { label: 'Provider', render: ({ source }) => nameOf(source), isHeader: true },
    { label: 'Client id', render: ({ client_id }) => <Anywhere>{client_id ?? '–'}</Anywhere> },
    { label: 'Secret', render: ({ client_secret_hash }) => (client_secret_hash === null ? 'Not set' : 'Set') },
    { label: 'Changed', render: ({ updated_at }) => <Time at={updated_at} /> },
    {
      label: 'Action',
      align: 'right',
      render: (application) => (
        <ChangeOrRemove
          changes={`Change the application at ${nameOf(application.source)}`}
          onChange={() => setEdited(application)}
          action="Delete"
          question={`Delete the application at ${nameOf(application.source)}?`}
          onConfirm={() => remove(application.id)}
        >
          Users then connect by the application of this service, if it has one. Connections that were made keep working
          until they end. Then the secret is erased. This cannot be undone.
        </ChangeOrRemove>
      ),
    },
  ];
  return (
    <Section title="Own applications" actions={<Button onClick={() => setEdited('new')}>Add an application</Button>}>
      <Stack>
        <Text c="dimmed">Users of this team connect by these, in place of the applications of this service.</Text>
        {edited !== null && (
          <SetCredentials
            application={edited === 'new' ? null : edited}
            close={() => setEdited(null)}
            onSet={() => readAgain('team_credentials')}
          />
        )}
        <Loaded query={list}>
          {({ credentials }) =>
            credentials.length === 0 ? (
              <Text>The team has none. Add one after you have made it at the provider.</Text>
            ) : (
              <DataTable caption="Own applications" columns={columns} rows={credentials} keyOf={({ id }) => id} />
            )
          }
        </Loaded>
      </Stack>
    </Section>
  );
}

/** A long id breaks within its column. */
const Anywhere = ({ children }: { children: string }) => <span style={{ overflowWrap: 'anywhere' }}>{children}</span>;
