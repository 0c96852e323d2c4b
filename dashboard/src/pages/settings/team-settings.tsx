import { Button, Group, Paper, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain, SESSION_KEY } from '../../api/queries.ts';
import { useSession, useTeamPath } from '../../api/session.tsx';
import { useProblems } from '../../parts/field-problems.ts';
import { FormRefusal } from '../../parts/refusal.tsx';
import { Loaded } from '../../parts/states.tsx';
import { ClosedBetas } from './closed-betas.tsx';
import { RedirectUrls } from './redirect-urls.tsx';

const PATH = '/v1/org/{org_id}/team/{team_id}';

const BRAND = [
  { name: 'company_name', label: 'Company', description: 'Patients see it on documents and in messages.' },
  { name: 'company_website', label: 'Website', description: 'Where patients find out more.', type: 'url' },
  { name: 'support_email', label: 'Email for patients', description: 'For questions about a test.', type: 'email' },
  { name: 'support_contact', label: 'Other contact', description: 'Such as a telephone number.' },
  { name: 'company_address', label: 'Address', description: 'On printed documents.' },
  { name: 'brand_color', label: 'Colour', description: 'Such as #1f7073.', pattern: '#[0-9a-fA-F]{6}' },
] as const;
type Brand = Record<(typeof BRAND)[number]['name'], string>;

const FIELDS = ['name', 'logo_url', ...BRAND.map(({ name }) => `brand_information.${name}`)];

/** The name of the team, what its patients see of it, where its users come back to, and its betas. */
export function TeamSettings() {
  return (
    <Stack gap="lg">
      <NameAndBrand />
      <RedirectUrls />
      <ClosedBetas />
    </Stack>
  );
}

function NameAndBrand() {
  const { org_id, team_id, environment } = useTeamPath();
  const team = useQuery({
    queryKey: ['team', team_id],
    queryFn: () => unwrap(phial.GET(PATH, { params: { path: { org_id, team_id } } })),
  });
  return (
    <Loaded query={team}>
      {(data) => {
        const settings = data[environment];
        const brand = BRAND.map(({ name }) => [name, settings?.brand_information?.[name] ?? '']);
        return (
          <TeamForm
            start={{ name: data.name, logo_url: settings?.logo_url ?? '', brand: Object.fromEntries(brand) as Brand }}
          />
        );
      }}
    </Loaded>
  );
}

type Values = { name: string; logo_url: string; brand: Brand };

function TeamForm({ start }: { start: Values }) {
  const { org_id, team_id } = useTeamPath();
  const { environment } = useSession();
  const [values, setValues] = useState(start);
  const given = Object.entries(values.brand).map(([name, text]) => [name, text.trim() === '' ? null : text.trim()]);
  const hasBrand = given.some(([, text]) => text !== null);
  const settings = {
    brand_information: hasBrand ? (Object.fromEntries(given) as Record<keyof Brand, string | null>) : null,
    logo_url: values.logo_url.trim() === '' ? null : values.logo_url.trim(),
  };
  const body = { name: values.name.trim(), [environment]: settings };
  const save = useMutation({
    mutationFn: async (): Promise<void> => {
      await unwrap(phial.PATCH(PATH, { params: { path: { org_id, team_id } }, body }));
      await readAgain('team', ...SESSION_KEY);
    },
  });
  const fields = FIELDS.map((field) => (field === 'name' ? field : `${environment}.${field}`));
  const problems = useProblems(save.error, body, fields);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <Paper withBorder p="lg">
          <TextInput
            label="Name of the team"
            required
            withAsterisk={false}
            maxLength={200}
            value={values.name}
            error={problems.at('name')}
            onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, name: value }))}
            maw={420}
          />
        </Paper>
        <Paper withBorder p="lg">
          <Title order={2} mb="md">
            What patients see
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {BRAND.map(({ name, ...field }) => (
              <TextInput
                key={name}
                {...field}
                error={problems.at(environment, 'brand_information', name)}
                maxLength={200}
                value={values.brand[name]}
                onChange={({ currentTarget: { value } }) =>
                  setValues((before) => ({ ...before, brand: { ...before.brand, [name]: value } }))
                }
              />
            ))}
            <TextInput
              label="Address of the logo"
              description="A picture at an https address."
              type="url"
              maxLength={2_048}
              error={problems.at(environment, 'logo_url')}
              value={values.logo_url}
              onChange={({ currentTarget: { value } }) => setValues((before) => ({ ...before, logo_url: value }))}
            />
          </SimpleGrid>
        </Paper>
        <Group>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
          {save.isSuccess && <Text role="status">Saved.</Text>}
          <FormRefusal error={save.error} problems={problems} />
        </Group>
      </Stack>
    </form>
  );
}
