-- A delivery that was made, or given up, may be queued again. It is a retry that is due now: its number goes on from the
-- attempts made. Where its schedule begins is told beside it, since that no longer follows from the number alone.
alter table retries
  -- Attempts made before the schedule began; below 0 where less than a whole schedule is left.
  add schedule_from smallint not null default 0,
  -- Who asked for the next attempt; null where the schedule did.
  add trigger text check (trigger in ('resend', 'replay', 'test'));

alter table held_deliveries
  add schedule_from smallint not null default 0,
  add trigger text check (trigger in ('resend', 'replay', 'test'));

alter table attempts add trigger text check (trigger in ('resend', 'replay', 'test'));
