/** Who signs in: a member, a person of an EHR, or the operator if both ids are null. */
export type SignInPerson = {
  org_id: string;
  member_id: string | null;
  ehr_member_id: string | null;
  /** The only team of the person that the session sees. Null or missing: all teams of the person. */
  only_team_id?: string | null;
};

/** The pages of the dashboard to which a link can lead. */
export type LandingPage = '/dashboard' | '/dashboard/users' | '/dashboard/orders' | '/dashboard/critical-results';

export const operatorOf = (orgId: string): SignInPerson => ({ org_id: orgId, member_id: null, ehr_member_id: null });
