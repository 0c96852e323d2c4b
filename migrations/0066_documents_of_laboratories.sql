-- A laboratory's own report document, with the version of the report that it came with: a PDF, sealed in pieces, each the
-- row of its place. It goes with its version, and so with its order and its user.
create table lab_result_documents (
  user_id uuid not null,
  order_id uuid not null,
  version integer not null,
  n integer not null,
  team_id uuid not null,
  -- The same for all pieces of one; a document that takes the place of another has its own.
  document_id uuid not null,
  -- When the laboratory reported it: an older one never takes its place.
  reported_at timestamptz not null,
  content bytea not null,
  primary key (user_id, order_id, version, n),
  foreign key (user_id, order_id, version) references lab_results (user_id, order_id, version)
    on update cascade on delete cascade
);
select wall_by_team('lab_result_documents');
