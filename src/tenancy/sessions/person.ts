/** Who signs in: a member, a person of an EHR, or the operator if both ids are null. */
export type SignInPerson = { org_id: string; member_id: string | null; ehr_member_id: string | null };

export const operatorOf = (orgId: string): SignInPerson => ({ org_id: orgId, member_id: null, ehr_member_id: null });
