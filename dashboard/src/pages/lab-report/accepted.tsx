import { Group, Table, Text } from '@mantine/core';
import { FactList } from '../../parts/fact-list.tsx';
import { Interpretation } from '../../parts/order-status.tsx';
import { fullName } from '../../parts/people.tsx';
import { Section } from '../../parts/section.tsx';
import { CalendarDate } from '../../parts/time.tsx';
import { unitInWords } from '../../parts/unit.ts';
import { rangeOf } from './corrected.ts';
import type { Report } from './report-query.ts';

/** The values that the programs of the team got, with range and meaning: a flag becomes a meaning when it is saved. */
export function Accepted({ report: { data } }: { report: Report }) {
  const { patient_first_name = null, patient_last_name = null, dob, lab_name } = data?.metadata ?? {};
  const { date_collected, date_reported, specimen_number } = data?.metadata ?? {};
  return (
    <Section title="What was accepted">
      {data === null ? (
        <Text>Nothing could be read.</Text>
      ) : (
        <>
          <FactList
            facts={[
              ['Patient', fullName({ first_name: patient_first_name, last_name: patient_last_name })],
              ['Born', dob && <CalendarDate date={dob} />],
              ['Laboratory', lab_name],
              ['Collected', date_collected && <CalendarDate date={date_collected} />],
              ['Reported', date_reported && <CalendarDate date={date_reported} />],
              ['Specimen', specimen_number],
            ]}
          />
          <Table.ScrollContainer minWidth={360}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Test</Table.Th>
                  <Table.Th scope="col">Value</Table.Th>
                  <Table.Th scope="col">Range</Table.Th>
                  <Table.Th scope="col">Meaning</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.results.map((result, n) => (
                  <Table.Tr key={n}>
                    <Table.Th scope="row" fw={500}>
                      {result.test_name}
                    </Table.Th>
                    <Table.Td>
                      {result.value} {unitInWords(result.units)}
                    </Table.Td>
                    <Table.Td>{rangeOf(result) || '–'}</Table.Td>
                    <Table.Td>
                      <Group gap={6}>
                        {result.interpretation === null ? '–' : <Interpretation value={result.interpretation} />}
                        {result.is_above_max_range && <Text size="sm">High</Text>}
                        {result.is_below_min_range && <Text size="sm">Low</Text>}
                      </Group>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </>
      )}
    </Section>
  );
}
