-- A link can lead to a page of the dashboard, and can be for one team only. The session that it begins sees no other.
-- If the team is erased, its links and sessions end.
alter table sign_in_links
  add column leads_to text not null default '/dashboard',
  add column only_team_id uuid references teams on delete cascade;
create index sign_in_links_of_teams on sign_in_links (only_team_id) where only_team_id is not null;

alter table sessions add column only_team_id uuid references teams on delete cascade;
create index sessions_of_teams on sessions (only_team_id) where only_team_id is not null;
