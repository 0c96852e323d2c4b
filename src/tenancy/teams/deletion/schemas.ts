import { Type } from 'typebox';
import { nullable, oneOf, Timestamp, Uuid } from '../../../wire/schema.ts';

const Counted = (description: string) => Type.Integer({ description });
const CountedAtStart = (description: string) => nullable(Type.Integer({ description }));

export const TeamDeletion = Type.Object({
  team_id: Uuid,
  status: oneOf(['scheduled', 'running', 'done'], {
    description: 'done: nothing of the team is left but its audit log.',
  }),
  requested_at: Type.String({ ...Timestamp, description: 'When the team was deleted, UTC.' }),
  started_at: nullable(Type.String({ ...Timestamp, description: 'When its erasure began, UTC; null before.' })),
  ended_at: nullable(Type.String({ ...Timestamp, description: 'When nothing was left, UTC; null before.' })),
  progress: Type.Object(
    {
      users: CountedAtStart('Users that the team had when its erasure began; null before.'),
      erased_users: Counted('Users of whom nothing is left.'),
      rooms: CountedAtStart('Parts of the service that keep something of teams; null before.'),
      erased_rooms: Counted('Those that have erased what they kept of the team itself, after its users.'),
    },
    { description: 'How far the erasure has come.' },
  ),
});

export const DeletedTeam = Type.Object({ success: Type.Boolean(), deletion: TeamDeletion });
