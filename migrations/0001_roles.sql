-- Two roles: the owner runs migrations and owns every table; phial_app is what the service acts as.
-- Roles belong to the whole server, so another database of the same server may have made it already.
do $$
begin
  create role phial_app nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  if not pg_has_role(current_user, 'phial_app', 'member') or not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant phial_app to %I', current_user);
  end if;
end $$;
grant usage on schema public to phial_app;
alter default privileges in schema public grant select, insert, update, delete on tables to phial_app;
alter default privileges in schema public grant usage on sequences to phial_app;
revoke insert, update, delete on migrations from phial_app;
grant select on migrations to phial_app;
