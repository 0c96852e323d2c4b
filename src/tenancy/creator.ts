import type { ManagementCtx, Person } from '../context.ts';

/** Who created a record, as it is stored. Both are null for the operator. */
export type StoredCreator = { created_by: string | null; created_by_member: string | null };

/** Returns the id of a member or of a person of an EHR, and null for the operator. */
export const personIdOf = (person: Pick<Person, 'member_id' | 'ehr_member_id'>): string | null =>
  person.member_id ?? person.ehr_member_id;

/** Returns the caller as the creator of a record: the management key, or the member who is signed in. */
export const callerAsCreator = ({ key, person }: Pick<ManagementCtx, 'key' | 'person'>): StoredCreator =>
  person
    ? { created_by: null, created_by_member: personIdOf(person) }
    : { created_by: key.id, created_by_member: null };

export const CREATORS = ['management_key', 'org_member', 'service_staff'] as const;

/** Renders the kind of a creator for responses. */
export function creatorType({ created_by, created_by_member }: StoredCreator): (typeof CREATORS)[number] {
  if (created_by !== null) return 'management_key';
  return created_by_member === null ? 'service_staff' : 'org_member';
}
