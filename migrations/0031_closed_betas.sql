-- What of the service is not open to everybody yet, and is to this team; in a sandbox all of it is.
alter table teams add column closed_betas text[] not null default '{}';
