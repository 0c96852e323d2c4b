/**
 * Returns a condition that excludes orders of users who are scheduled for deletion. An index contains only these users,
 * and PostgreSQL looks up the user of each order in it.
 */
export const userNotScheduledForDeletion = (team: string): string => `not exists (
    select from users where users.team_id = ${team} and users.id = orders.user_id and users.deleted_at is not null)`;
