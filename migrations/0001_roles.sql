-- Two roles: the owner runs migrations and owns every table; phial_app is what the service acts as. It gets no table
-- by default, new partitions included: each table is granted by name, with its wall (0020).
-- Roles belong to the whole server, so another database of the same server may have made it already.
do $$
begin
  -- Asked first: who may not make roles is not told that this one is there.
  if exists (select from pg_roles where rolname = 'phial_app') then
    return;
  end if;
  create role phial_app nologin;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise exception 'the role % may not make roles', current_user
      using errcode = 'insufficient_privilege',
      hint = 'Let a superuser run this once: create role phial_app nologin;';
end $$;
grant usage on schema public to phial_app;
alter default privileges in schema public grant usage on sequences to phial_app;
grant select on migrations to phial_app;

-- Seeds that this database was given (seeds/), each once.
create table seeds (
  name text primary key,
  applied_at timestamptz not null default now()
);
