-- Links for people of an EHR are made once there is a dashboard that they open.
drop table ehr_sessions;
