-- Agreements that have ended with a provider whose rules let nothing of its data be kept: when what it brought goes.
create table ended_agreements (
  user_id uuid not null references users on delete cascade,
  provider text not null,
  team_id uuid not null,
  erase_at timestamptz not null,
  primary key (user_id, provider)
);
create index ended_agreements_due on ended_agreements (team_id, erase_at);
create index ended_agreements_next on ended_agreements (erase_at);

select wall_by_team('ended_agreements');
