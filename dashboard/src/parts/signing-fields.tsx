import { Checkbox, Fieldset, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap, type components } from '../api/client.ts';
import { useTeamPath } from '../api/session.tsx';
import { inWords } from './status-badge.tsx';

type Consent = components['schemas']['ConsentInput']['consentType'];

/** What a patient has to agree to if a physician of the laboratory's network signs. */
const NEEDED: readonly Consent[] = ['terms-of-use', 'telehealth-informed-consent', 'notice-of-privacy-practices'];

export const NOBODY_SIGNS = { physician: { first_name: '', last_name: '', npi: '' }, consents: [] as Consent[] };
type Signing = typeof NOBODY_SIGNS;

const namesPhysician = ({ physician }: Signing): boolean => Object.values(physician).some((value) => value !== '');

/** What an order says about who signs it. */
export const signingOf = (signing: Signing) =>
  namesPhysician(signing)
    ? { physician: signing.physician }
    : { consents: signing.consents.map((consentType) => ({ consentType })) };

const FIELDS = [
  ['first_name', 'Physician’s first name'],
  ['last_name', 'Physician’s last name'],
  ['npi', 'Physician’s NPI'],
] as const;

type SigningProps = {
  value: Signing;
  onChange: (value: Signing) => void;
  problem: (field: string) => string | undefined;
};

/** The physician who signs, or the consents that the network of the laboratory needs. */
export function SigningFields({ value, onChange, problem }: SigningProps) {
  const isOfNetwork = !namesPhysician(value);
  return (
    <Fieldset legend="Who signs the order">
      <Stack gap="sm">
        <KnownPhysicians value={value} onChange={onChange} />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {FIELDS.map(([name, label]) => (
            <TextInput
              key={name}
              label={label}
              required={!isOfNetwork}
              value={value.physician[name]}
              onChange={({ currentTarget }) =>
                onChange({ ...value, physician: { ...value.physician, [name]: currentTarget.value } })
              }
              error={problem(`physician.${name}`)}
            />
          ))}
        </SimpleGrid>
        {isOfNetwork && (
          <>
            <Text size="sm">
              Without a physician of yours, one of the laboratory’s network signs. Then the patient has to agree to:
            </Text>
            {NEEDED.map((consent) => (
              <Checkbox
                key={consent}
                label={inWords(consent)}
                required
                checked={value.consents.includes(consent)}
                onChange={({ currentTarget: { checked } }) => {
                  const others = value.consents.filter((other) => other !== consent);
                  onChange({ ...value, consents: checked ? [...others, consent] : others });
                }}
              />
            ))}
          </>
        )}
      </Stack>
    </Fieldset>
  );
}

/** The physicians of the team, of whom one fills the fields. */
function KnownPhysicians({ value, onChange }: Pick<SigningProps, 'value' | 'onChange'>) {
  const { team_id } = useTeamPath();
  const { data: known = [] } = useQuery({
    queryKey: ['physicians', team_id, 'to choose'],
    queryFn: () => unwrap(phial.GET('/v2/team/{team_id}/physicians', { params: { path: { team_id } } })),
  });
  if (known.length === 0) return null;
  return (
    <Select
      label="Physician of the team"
      placeholder="Choose, or write another below"
      clearable
      data={known.map(({ npi, first_name, last_name }) => ({
        value: npi,
        label: `${first_name} ${last_name}, ${npi}`,
      }))}
      value={known.some(({ npi }) => npi === value.physician.npi) ? value.physician.npi : null}
      onChange={(chosen) => {
        const { first_name = '', last_name = '', npi = '' } = known.find((physician) => physician.npi === chosen) ?? {};
        onChange({ ...value, physician: { first_name, last_name, npi } });
      }}
    />
  );
}
