-- What a request repeats, and its share of the service, are known by the id of the team or organisation that asks: one id
-- is never both. Teams may choose theirs, so that both are looked at; whoever inserts sees its own rows alone, the function all.
create function refuse_id_of_tenant() returns trigger language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from orgs where id = new.id and tg_table_name = 'teams')
     or exists (select from teams where id = new.id and tg_table_name = 'orgs') then
    raise unique_violation using message = 'a team and an organisation have different ids';
  end if;
  return new;
end $$;
revoke execute on function refuse_id_of_tenant() from public;
create trigger teams_id before insert on teams for each row execute function refuse_id_of_tenant();
create trigger orgs_id before insert on orgs for each row execute function refuse_id_of_tenant();
