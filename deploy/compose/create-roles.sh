#!/bin/sh
# Creates the two roles and the database. The image of PostgreSQL runs this once, when its data directory is empty.
set -eu
secret() { cat "/run/secrets/$1"; }
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set owner_password="$(secret owner-password)" --set service_password="$(secret service-password)" <<'SQL'
select 'create role phial_app nologin' where not exists (select from pg_roles where rolname = 'phial_app') \gexec
create role phial_owner login password :'owner_password';
create role phial_service login password :'service_password';
grant phial_app to phial_service;
create database phial owner phial_owner;
SQL
