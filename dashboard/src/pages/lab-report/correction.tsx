import { Button, Fieldset, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { useProblems } from '../../parts/field-problems.ts';
import { FormRefusal } from '../../parts/refusal.tsx';
import { Section } from '../../parts/section.tsx';
import { bodyOf, correctedFrom, newRow, type Corrected, type Head } from './corrected.ts';
import type { Report } from './report-query.ts';
import { ResultRow } from './result-row.tsx';

const HEAD = [
  { name: 'patient_first_name', label: 'First name', maxLength: 100 },
  { name: 'patient_last_name', label: 'Last name', maxLength: 100 },
  { name: 'dob', label: 'Date of birth', type: 'date' },
  { name: 'lab_name', label: 'Laboratory', maxLength: 200 },
  { name: 'date_collected', label: 'Collected', type: 'date' },
  { name: 'date_reported', label: 'Reported', type: 'date' },
  { name: 'specimen_number', label: 'Specimen', maxLength: 100 },
] as const;

const GENDERS = [
  { value: 'other', label: 'Not in the report' },
  { value: 'female', label: 'Female' },
  { value: 'male', label: 'Male' },
];

/** The places in the body of what has a field. */
const fieldsOf = ({ head, rows }: Corrected): string[] => [
  ...Object.keys(head).map((name) => `metadata.${name}`),
  ...rows.flatMap((row, n) => Object.keys(row).map((name) => `results.${n}.${name}`)),
];

type Props = {
  report: Report;
  /** Told whether the form has changes that are not saved. */
  onChange: (hasChanges: boolean) => void;
};

/** What was read, as fields to correct. */
export function Correction({ report, onChange }: Props) {
  const [start] = useState(() => correctedFrom(report.data));
  const [values, setValues] = useState(start);
  const save = useSave(report.job_id, () => onChange(false));
  const problems = useProblems(save.error, bodyOf(values), fieldsOf(values));
  const hasChanges = values !== start;
  const set = (next: Corrected): void => {
    setValues(next);
    onChange(true);
  };
  const setRows = (rows: Corrected['rows']): void => set({ ...values, rows });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(values);
  };
  return (
    <Section title="What was read">
      <form onSubmit={submit}>
        <Stack gap="md">
          {report.data === null && <Text>Nothing could be read. Write down what the report says.</Text>}
          <HeadFields
            head={values.head}
            change={(head) => set({ ...values, head })}
            problem={(field) => problems.at('metadata', field)}
          />
          {values.rows.map((row, n) => (
            <ResultRow
              key={row.id}
              row={row}
              change={(changed) => setRows(values.rows.map((each) => (each.id === row.id ? changed : each)))}
              remove={() => setRows(values.rows.filter(({ id }) => id !== row.id))}
              problem={(field) => problems.at('results', String(n), field)}
            />
          ))}
          <FormRefusal error={save.error} problems={problems} />
          <Group>
            <Button variant="default" onClick={() => setRows([...values.rows, newRow()])}>
              Add a result
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!hasChanges || values.rows.length === 0}>
              Save the correction
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

type HeadProps = { head: Head; change: (head: Head) => void; problem: (field: string) => string | undefined };

function HeadFields({ head, change, problem }: HeadProps) {
  return (
    <Fieldset legend="Head of the report">
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
        {HEAD.map(({ name, ...field }) => (
          <TextInput
            key={name}
            {...field}
            value={head[name]}
            onChange={({ currentTarget: { value } }) => change({ ...head, [name]: value })}
            error={problem(name)}
          />
        ))}
        <NativeSelect
          label="Gender"
          data={GENDERS}
          value={head.gender}
          onChange={({ currentTarget: { value } }) => change({ ...head, gender: value })}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

function useSave(job_id: string, onSaved: () => void) {
  const path = { ...useTeamPath(), job_id };
  return useMutation({
    mutationFn: (values: Corrected) =>
      unwrap(
        phial.PUT('/v1/org/{org_id}/team/{team_id}/{environment}/lab_report_review/{job_id}/data', {
          params: { path },
          body: bodyOf(values),
        }),
      ),
    onSuccess: async () => {
      onSaved();
      await readAgain('lab_report_review');
    },
  });
}
