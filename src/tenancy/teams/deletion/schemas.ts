import { Type } from 'typebox';
import { nullable, oneOf, Timestamp, Uuid } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';

const Counted = (description: string) => Type.Integer({ description });
const CountedAtStart = (description: string) => nullable(Type.Integer({ description }));

export const TeamDeletion = shape('TeamDeletion', {
  team_id: Uuid,
  status: oneOf(['scheduled', 'running', 'done'], {
    description: 'done: nothing of the team is left except its audit log.',
  }),
  requested_at: Type.String({ ...Timestamp, description: 'When the team was deleted, UTC.' }),
  started_at: nullable(Type.String({ ...Timestamp, description: 'When its erasure began, UTC. Null before that.' })),
  ended_at: nullable(Type.String({ ...Timestamp, description: 'When nothing was left, UTC. Null before that.' })),
  progress: Type.Object(
    {
      users: CountedAtStart('The number of users when the erasure began. Null before that.'),
      erased_users: Counted('The number of users that are completely erased.'),
      rooms: CountedAtStart(
        'The number of modules of the service that store data of teams. Null before the erasure begins.',
      ),
      erased_rooms: Counted('The number of modules that have erased the data of the team itself, after its users.'),
    },
    { description: 'The progress of the erasure.' },
  ),
});

export const DeletedTeam = shape('DeletedTeam', { success: Type.Boolean(), deletion: TeamDeletion });
