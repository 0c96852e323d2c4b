-- A laboratory's own numbers of an order, as it told them with results: one for each test that it files by itself (OBR-3), and
-- those under which it received samples (SPM-30). A later result that brings one of them alone is of that order.
create table laboratory_numbers (
  user_id uuid not null,
  order_id uuid not null,
  team_id uuid not null,
  lab_id integer not null references labs,
  kind text not null check (kind in ('filler', 'accession')),
  number text not null,
  primary key (user_id, order_id, kind, number),
  foreign key (user_id, order_id) references order_numbers (user_id, order_id) on update cascade on delete cascade
);
create index laboratory_numbers_by_number on laboratory_numbers (lab_id, kind, number);
create index laboratory_numbers_by_team on laboratory_numbers (team_id, order_id);
select wall_by_team('laboratory_numbers');

insert into laboratory_numbers (user_id, order_id, team_id, lab_id, kind, number)
select user_id, order_id, team_id, lab_id, 'filler', filler_number from order_numbers where filler_number is not null;
alter table order_numbers drop column filler_number;
