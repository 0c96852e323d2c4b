import { Alert, List, Stack, Text } from '@mantine/core';
import { birthsDiffer, ComparePatients, namesDiffer } from '../../parts/compare-patients.tsx';
import { NameAndBirth, usePerson } from '../../parts/people.tsx';
import { Section } from '../../parts/section.tsx';
import type { Report } from './report-query.ts';

/** The patient whom the report names now, in the form in which users have names. */
export const patientIn = ({ data }: Report) =>
  data && {
    first_name: data.metadata.patient_first_name,
    last_name: data.metadata.patient_last_name,
    dob: data.metadata.dob,
  };

/** The patient as the service read it. Null if it is the one that the report names now. */
export function readBefore(report: Report): Report['read_patient'] {
  const { read_patient: read } = report;
  const now = patientIn(report);
  if (!read || !(read.first_name || read.last_name)) return null;
  return namesDiffer(read, now) || birthsDiffer(read, now) ? read : null;
}

/** Whose report it is: what was read beside what is known of the user, and why a person has to look. */
export function Whose({ report, isWaiting }: { report: Report; isWaiting: boolean }) {
  const person = usePerson(report.user_id);
  const before = readBefore(report);
  const reasons = reasonsOf(report);
  return (
    <Section title="Whose report it is">
      <Stack gap="sm">
        {isWaiting && report.names_other_patient && (
          <Alert color="yellow" role="alert">
            The report names another patient than its user. Compare the name and the date of birth.
          </Alert>
        )}
        <ComparePatients sides={['The report', 'The user']} one={patientIn(report)} other={person ?? null} />
        {before && (
          <Text size="sm">
            A person corrected this. The service read{' '}
            {before.dob === null ? (
              `${before.first_name ?? ''} ${before.last_name ?? ''}`
            ) : (
              <NameAndBirth of={{ ...before, dob: before.dob }} />
            )}
            .
          </Text>
        )}
        {isWaiting && (
          <div>
            <Text fw={600}>Why it waits</Text>
            <List size="sm">
              {reasons.map((reason) => (
                <List.Item key={reason}>{reason}</List.Item>
              ))}
            </List>
            {report.unread_lines.length > 0 && (
              <>
                <Text size="sm" mt="xs">
                  Compare these lines with the file, and add what is missing:
                </Text>
                <List size="sm">
                  {report.unread_lines.map((line, n) => (
                    <List.Item key={n}>
                      <code>{line}</code>
                    </List.Item>
                  ))}
                </List>
              </>
            )}
          </div>
        )}
      </Stack>
    </Section>
  );
}

function reasonsOf({ data, names_other_patient, unread_lines }: Report): string[] {
  const unsure = (data?.results ?? []).filter(({ loinc_match_status: status }) => status !== 'auto_match').length;
  const reasons = [
    names_other_patient && 'It names another patient than its user.',
    unread_lines.length > 0 && `Lines that could not be read: ${unread_lines.length}.`,
    data === null && 'No result could be read.',
    unsure > 0 && `Tests without a certain LOINC code: ${unsure}.`,
  ].filter((reason) => reason !== false);
  return reasons.length > 0
    ? reasons
    : ['Your programs asked for a review, a part of a file could not be read, or a person corrected it already.'];
}
