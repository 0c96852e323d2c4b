import { Fieldset, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { StateSelect } from './state-select.tsx';
import { inWords } from './status-badge.tsx';
import classes from './patient-fields.module.css';

const GENDERS = ['female', 'male', 'other', 'unknown'] as const;
export type Gender = (typeof GENDERS)[number];

export const EMPTY_PATIENT = { first_name: '', last_name: '', dob: '', gender: '', phone_number: '', email: '' };
export type Patient = typeof EMPTY_PATIENT;

export const EMPTY_ADDRESS = {
  receiver_name: '',
  first_line: '',
  second_line: '',
  city: '',
  state: '',
  zip: '',
  country: 'US',
  phone_number: '',
};
export type Address = typeof EMPTY_ADDRESS;

/** Returns the fields of a form as they are known. */
export function filledWith<Form extends Record<string, string>>(empty: Form, known: object | null): Form {
  const values = (known ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(empty).map(([name, none]) => [name, values[name] ?? none])) as Form;
}

type FieldsProps<Value> = {
  value: Value;
  onChange: (value: Value) => void;
  /** What the service said about a field. */
  problem: (field: string) => string | undefined;
};

/** Who is tested, as laboratories take it. */
export function PatientFields({ value, onChange, problem }: FieldsProps<Patient>) {
  const field = fieldOf(value, onChange, problem);
  return (
    <Fieldset legend="Patient">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label="First name" required {...field('first_name')} />
        <TextInput label="Last name" required {...field('last_name')} />
        <TextInput label="Date of birth" type="date" required {...field('dob')} />
        <NativeSelect
          label="Gender"
          required
          data={[
            // Nobody is taken for a woman or a man by a slip.
            { value: '', label: 'Choose', disabled: true },
            ...GENDERS.map((gender) => ({ value: gender as string, label: inWords(gender) })),
          ]}
          {...field('gender')}
        />
        <TextInput label="Phone" type="tel" required {...field('phone_number')} />
        <TextInput label="E-mail" type="email" required {...field('email')} />
      </SimpleGrid>
    </Fieldset>
  );
}

type AddressProps = FieldsProps<Address> & { legend: string; hasRecipient: boolean };

/** An address in the United States, to which orders ship. */
export function AddressFields({ legend, hasRecipient, value, onChange, problem }: AddressProps) {
  const field = fieldOf(value, onChange, problem);
  return (
    <Fieldset legend={legend}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {hasRecipient && (
          <>
            <TextInput label="Recipient" required {...field('receiver_name')} />
            <TextInput label="Phone of the recipient" type="tel" required {...field('phone_number')} />
          </>
        )}
        <TextInput label="Street and number" required {...field('first_line')} />
        <TextInput label="Apartment or floor" {...field('second_line')} />
      </SimpleGrid>
      <div className={classes['place']}>
        <TextInput label="City" required {...field('city')} />
        <StateSelect value={value.state} onChange={(state) => onChange({ ...value, state })} error={problem('state')} />
        <TextInput label="Zip code" placeholder="12345" required maxLength={10} {...field('zip')} />
      </div>
    </Fieldset>
  );
}

/** Binds a control to a field of the value. */
const fieldOf =
  <Value extends Record<string, string>>(
    value: Value,
    onChange: (value: Value) => void,
    problem: (field: string) => string | undefined,
  ) =>
  (name: keyof Value & string) => ({
    value: value[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      onChange({ ...value, [name]: currentTarget.value });
    },
    error: problem(name),
  });
