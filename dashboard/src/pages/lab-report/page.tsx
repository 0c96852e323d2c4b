import { Anchor, Box, Group, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ComparePatients } from '../../parts/compare-patients.tsx';
import { Page } from '../../parts/page.tsx';
import { NameAndBirth, usePerson } from '../../parts/people.tsx';
import { Loaded } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { UnsavedChanges } from '../../parts/unsaved-changes.tsx';
import { Accepted } from './accepted.tsx';
import { Correction } from './correction.tsx';
import { Files } from './files.tsx';
import { reportQuery, type Report } from './report-query.ts';
import { patientIn, readBefore, Whose } from './whose.tsx';

export default function LabReportPage() {
  const { report: id } = useParams({ strict: false }) as { report: string };
  const query = useQuery(reportQuery(useTeamPath(), id));
  return <Loaded query={query}>{(report) => <Shown key={report.job_id} report={report} />}</Loaded>;
}

function Shown({ report }: { report: Report }) {
  const [hasChanges, setHasChanges] = useState(false);
  const isWaiting = report.needs_human_review && !report.is_reviewed;
  return (
    <Page
      title={`Lab report …${report.job_id.slice(-8)}`}
      about={<About report={report} />}
      actions={isWaiting && <Accept report={report} hasChanges={hasChanges} />}
    >
      <UnsavedChanges has={isWaiting && hasChanges} />
      <Whose report={report} isWaiting={isWaiting} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {/* Beside the fields it stays in view while somebody goes through them. */}
        <Box pos={{ base: 'static', lg: 'sticky' }} top={72} style={{ alignSelf: 'start' }}>
          <Files report={report} />
        </Box>
        {isWaiting ? (
          // A saved correction is matched again, and the form begins with what came of it.
          <Correction key={JSON.stringify(report.data)} report={report} onChange={setHasChanges} />
        ) : (
          <Accepted report={report} />
        )}
      </SimpleGrid>
    </Page>
  );
}

function About({ report: { is_reviewed, user_id } }: { report: Report }) {
  const person = usePerson(user_id);
  return (
    <Group gap="xs" component="span">
      <StatusBadge tone={is_reviewed ? 'good' : 'warning'}>{is_reviewed ? 'Reviewed' : 'Waits for you'}</StatusBadge>
      <Anchor component={Link} to={`/users/${user_id}`}>
        {person ? <NameAndBirth of={person} /> : 'Its user'}
      </Anchor>
      <Anchor component={Link} to="/laboratories" search={{ tab: 'reports' } as never}>
        All that wait
      </Anchor>
      {is_reviewed && (
        <Anchor component={Link} to="/laboratories" search={{ tab: 'reports', state: 'accepted' } as never}>
          All that were accepted
        </Anchor>
      )}
    </Group>
  );
}

function Accept({ report, hasChanges }: { report: Report; hasChanges: boolean }) {
  const { job_id, data, names_other_patient, user_id } = report;
  const person = usePerson(user_id);
  const before = readBefore(report);
  const path = { ...useTeamPath(), job_id };
  const accept = async (): Promise<void> => {
    await unwrap(
      phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/lab_report_review/{job_id}/accept', {
        params: { path, query: { confirm_patient: names_other_patient } },
      }),
    );
    await readAgain('lab_report_review', 'lab_report_reviews', 'team_status');
  };
  if (hasChanges) return <Text c="dimmed">Save the correction, then accept the report.</Text>;
  return (
    <ConfirmButton action="Accept" question="Accept this report?" onConfirm={accept} variant="filled" size="sm">
      <ComparePatients sides={['The report', 'The user']} one={patientIn(report)} other={person ?? null} />
      {names_other_patient && 'The report names another patient than its user. Accept it only if it is of the user. '}
      {before && 'The service read another name or date of birth, and a person corrected it. '}
      {data === null
        ? 'Nothing was read of it. Your programs hear that somebody reviewed it, and get no values.'
        : 'Your programs get the values as they stand here. This cannot be taken back.'}
    </ConfirmButton>
  );
}
