import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge } from './status-badge.tsx';
import { fullName } from './people.tsx';
import { CalendarDate } from './time.tsx';

type Patient = { first_name?: string | null; last_name?: string | null; dob?: string | null };

/** A fact of both sides. */
type ComparedFact = [label: string, one: ReactNode, other: ReactNode, differs: boolean];

/** What the service compares too, before it accepts: the last name, the first word of the first name, and the birth. */
export const namesDiffer = (one: Patient | null, other: Patient | null): boolean =>
  differ(one?.last_name, other?.last_name) || differ(firstWord(one?.first_name), firstWord(other?.first_name));

export const birthsDiffer = (one: Patient | null, other: Patient | null): boolean => differ(one?.dob, other?.dob);

const firstWord = (name: string | null | undefined): string | undefined => name?.trim().split(/\s+/)[0];
const plain = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
const differ = (one: string | null | undefined, other: string | null | undefined): boolean =>
  Boolean(one) && Boolean(other) && plain(one as string) !== plain(other as string);

type ComparePatientsProps = {
  /** What the two sides are, such as "The report" and "The order". */
  sides: readonly [string, string];
  one: Patient | null;
  other: Patient | null;
  /** More facts of both, below the name and the date of birth. */
  more?: readonly ComparedFact[];
};

/** Names and dates of birth side by side, so that nobody takes one person for another. What differs says so. */
export function ComparePatients({ sides, one, other, more = [] }: ComparePatientsProps) {
  const facts: ComparedFact[] = [
    ['Name', one && fullName(one), other && fullName(other), namesDiffer(one, other)],
    ['Date of birth', birthOf(one), birthOf(other), birthsDiffer(one, other)],
    ...more,
  ];
  return (
    <Table withTableBorder>
      <Table.Thead>
        <Table.Tr>
          <Table.Td />
          {sides.map((side) => (
            <Table.Th key={side} scope="col">
              {side}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {facts.map(([label, mine, theirs, differs]) => (
          <Table.Tr key={label}>
            <Table.Th scope="row" fw={500}>
              {label} {differs && <StatusBadge tone="bad">Differs</StatusBadge>}
            </Table.Th>
            <Table.Td fw={differs ? 600 : undefined}>{mine || 'Not known'}</Table.Td>
            <Table.Td fw={differs ? 600 : undefined}>{theirs || 'Not known'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const birthOf = (patient: Patient | null): ReactNode => patient?.dob && <CalendarDate date={patient.dob} />;
