-- The column counts the changes of the URL of an endpoint. No row changes.
alter table endpoint_queues rename column moves to url_changes;
