-- What parcels of kits are found by when a carrier tells of them: a keyed hash of the number, since the number itself is
-- sealed. Carriers use numbers again, so none is unique. courier is null where the laboratory did not say who carries it.
create table tracking_numbers (
  user_id uuid not null,
  order_id uuid not null,
  leg text not null check (leg in ('outbound', 'inbound')),
  team_id uuid not null,
  number_hash bytea not null,
  courier text check (courier in ('usps', 'ups', 'fedex', 'dhl', 'ontrac', 'other')),
  created_at timestamptz not null default now(),
  primary key (user_id, order_id, leg),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
create index tracking_numbers_by_hash on tracking_numbers (number_hash, created_at);

select wall_by_team('tracking_numbers');

-- What carriers have told, a row a scan that moves a parcel, kept so that one that comes again is known and those that come
-- late find their place. It names nobody: whose parcel it is stands in tracking_numbers, if anywhere.
create table carrier_scans (
  number_hash bytea not null,
  courier text not null check (courier in ('usps', 'ups', 'fedex', 'dhl', 'ontrac', 'other')),
  stage text not null check (stage in ('moving', 'out_for_delivery', 'delivered', 'problem', 'failure', 'lost')),
  scanned_at timestamptz not null,
  -- Whether there was an order that it is of.
  is_known boolean not null,
  received_at timestamptz not null default now(),
  primary key (number_hash, courier, stage, scanned_at)
);
create index carrier_scans_unknown on carrier_scans (courier, received_at) where not is_known;
create index carrier_scans_received on carrier_scans (received_at);

grant select, insert, update, delete on carrier_scans to phial_app;
