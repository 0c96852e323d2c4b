import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useIsOperator, useTeamPath } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';

/** The button with which the operator approves a test of the team's own. Nobody else sees it. */
export function Approve({ id, name }: { id: string; name: string }) {
  const path = { ...useTeamPath(), lab_test_id: id };
  const isOperator = useIsOperator();
  if (!isOperator) return null;
  const approve = async (): Promise<void> => {
    await unwrap(
      phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/lab_test/{lab_test_id}/approve', { params: { path } }),
    );
    await readAgain('lab_test', 'lab_tests');
  };
  return (
    <ConfirmButton action="Approve" question={`Approve the test ${name}?`} onConfirm={approve} variant="filled">
      The team can order it from now on. An approval cannot be taken back.
    </ConfirmButton>
  );
}
