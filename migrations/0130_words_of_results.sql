-- What a result in words means where the laboratory sends neither a flag nor a range: by the test that brings it.
alter table marker_analytes
  add column normal_words text[] not null default '{}' check (cardinality(normal_words) <= 50),
  add column abnormal_words text[] not null default '{}' check (cardinality(abnormal_words) <= 50);
