-- Who was signed in: a member, or a person of an EHR. A session is deleted after it has ended, but its lines stay.
alter table audit_log add column person_id uuid;
