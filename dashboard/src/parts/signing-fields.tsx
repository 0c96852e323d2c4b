import { Checkbox, Fieldset, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { components } from '../api/client.ts';
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
