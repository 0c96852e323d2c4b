import { Alert, PasswordInput, Select, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../../api/client.ts';
import { CopyableId } from '../../../parts/copyable-id.tsx';
import { problemOf } from '../../../parts/field-problems.ts';
import { FormModal } from '../../../parts/form-modal.tsx';
import type { Application } from './credentials.tsx';
import { useProviderName, useProviders, useRegionPath, type Slug } from './names.ts';

const PATH = '/v1/org/{org_id}/team_custom_credentials/{env}/{region}';

type Detail = 'project_number' | 'service_account_email' | 'webhook_secret' | 'client';
type DetailField = { name: Detail; label: string; isSecret?: true };
/** What a provider needs beside id and secret. */
const DETAILS: Partial<Record<Slug, DetailField[]>> = {
  google_health: [
    { name: 'project_number', label: 'Number of the project' },
    { name: 'service_account_email', label: 'Email of the service account' },
  ],
  polar: [{ name: 'webhook_secret', label: 'Secret of its notifications', isSecret: true }],
  my_fitness_pal_v2: [{ name: 'client', label: 'Name of the client' }],
};

type Props = {
  /** The application to change. Null: a new one. */
  application: Application | null;
  close: () => void;
  onSet: () => Promise<void>;
};
type Fields = { id: string; secret: string; redirect: string; details: Partial<Record<Detail, string>> };

function startOf(application: Application | null): Fields {
  const { client_id, redirect_url_override, details } = application ?? {};
  const { project_number, service_account_email, webhook_secret, client } = details ?? {};
  const given = Object.entries({ project_number, service_account_email, webhook_secret, client });
  return {
    id: client_id ?? '',
    secret: '',
    redirect: redirect_url_override ?? '',
    details: Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) as Fields['details'],
  };
}

/** Sets the id and secret of an application. An empty secret keeps the stored one. */
export function SetCredentials({ application, close, onSet }: Props) {
  const { path, team_id } = useRegionPath();
  const nameOf = useProviderName();
  const [provider, setProvider] = useState<Slug | null>(application?.source ?? null);
  const [fields, setFields] = useState(() => startOf(application));
  const set = (changed: Partial<Fields>): void => setFields((before) => ({ ...before, ...changed }));
  const wanted = provider === null ? [] : (DETAILS[provider] ?? []);
  const run = useMutation({
    mutationFn: async (): Promise<void> => {
      if (provider === null) return;
      const written = wanted.map(({ name }) => [name, fields.details[name]?.trim()] as const);
      const details = Object.fromEntries(written.filter(([, value]) => value));
      const body = {
        team_id,
        provider,
        client_id: fields.id.trim(),
        ...(fields.secret !== '' && { client_secret: fields.secret.trim() }),
        ...(Object.keys(details).length > 0 && { details }),
        redirect_url_override: fields.redirect.trim() === '' ? null : fields.redirect.trim(),
      };
      await unwrap(phial.POST(PATH, { params: { path }, body }));
      close();
      await onSet();
    },
  });
  const title = application ? `The application at ${nameOf(application.source)}` : 'Add an application';
  return (
    <FormModal isOpen close={close} title={title} action="Save the application" run={run}>
      {application === null && <ProviderSelect value={provider} change={setProvider} />}
      {provider !== null && <Preparation provider={provider} />}
      <TextInput
        label="Client id"
        description={application ? 'Another id is another application. It needs a secret of its own.' : undefined}
        required
        withAsterisk={false}
        maxLength={500}
        autoComplete="off"
        value={fields.id}
        onChange={({ currentTarget }) => set({ id: currentTarget.value })}
        error={problemOf(run.error, 'client_id')}
      />
      <PasswordInput
        label="Client secret"
        description={application ? 'Nobody can read it again. Leave it empty to keep it.' : 'Nobody can read it again.'}
        required={application === null}
        withAsterisk={false}
        maxLength={2000}
        autoComplete="new-password"
        value={fields.secret}
        onChange={({ currentTarget }) => set({ secret: currentTarget.value })}
        error={problemOf(run.error, 'client_secret')}
      />
      {wanted.map(({ name, label, isSecret }) => (
        <TextInput
          key={name}
          label={label}
          description={isSecret && application ? '[hidden] keeps what is stored.' : undefined}
          maxLength={isSecret ? 500 : 200}
          autoComplete="off"
          value={fields.details[name] ?? ''}
          onChange={({ currentTarget: { value } }) => set({ details: { ...fields.details, [name]: value } })}
          error={problemOf(run.error, 'details', name)}
        />
      ))}
      <TextInput
        label="Address that users come back to"
        description="Only if it is an address of yours, which sends users on to this service."
        type="url"
        maxLength={500}
        value={fields.redirect}
        onChange={({ currentTarget }) => set({ redirect: currentTarget.value })}
        error={problemOf(run.error, 'redirect_url_override')}
      />
    </FormModal>
  );
}

function ProviderSelect({ value, change }: { value: Slug | null; change: (slug: Slug) => void }) {
  const { data = [] } = useProviders();
  return (
    <Select
      label="Provider"
      required
      withAsterisk={false}
      searchable
      nothingFoundMessage="No provider with a sign-in page of its own has this name"
      data={data
        .filter(({ auth_type }) => auth_type === 'oauth')
        .map(({ slug, name }) => ({ value: slug, label: name }))}
      value={value}
      onChange={(slug) => slug !== null && change(slug as Slug)}
      allowDeselect={false}
      data-autofocus
    />
  );
}

/** What to enter at the provider first. */
function Preparation({ provider }: { provider: Slug }) {
  const { path, team_id } = useRegionPath();
  const { data } = useQuery({
    queryKey: ['credentials_preparation', team_id, provider],
    queryFn: () =>
      unwrap(
        phial.POST('/v1/org/{org_id}/prepare_team_custom_credentials/{env}/{region}', {
          params: { path },
          body: { team_id, provider },
        }),
      ),
    staleTime: 300_000,
  });
  if (!data) return null;
  if (data.preparation_steps.length === 0)
    return (
      <Alert title="This service only stores it">
        <Text size="sm">Users cannot connect this provider here yet.</Text>
      </Alert>
    );
  return (
    <Alert title="Do this at the provider first">
      {data.preparation_steps.map(({ type, value, description }) => (
        <div key={type}>
          <Text size="sm" mb={6}>
            {description}
          </Text>
          <CopyableId value={value} isWhole label="the address" />
        </div>
      ))}
    </Alert>
  );
}
