// SQL for totals without the rows of users who are scheduled for deletion. A job subtracts these users within a minute
// (subtract-leaving-users.ts). Until then a reader subtracts their rows itself.

/** The lists from which users who are scheduled for deletion are subtracted. */
type List = 'users' | 'orders' | 'connections';

/** A condition on `totals`: the rows of the list, and those that are subtracted from it. */
export const isOfList = (list: List): string => `list in ('${list}', '${list} left out')`;

/** The number in a row of `totals`, negative if it is subtracted. Null for a row of another list. */
export const signedRows = (list: List): string =>
  `case list when '${list}' then rows when '${list} left out' then -rows end`;

/** A condition on `users`: scheduled for deletion, and not subtracted by the job yet. */
export const IS_NOT_SUBTRACTED = 'users.deleted_at is not null and not users.orders_left_out';
