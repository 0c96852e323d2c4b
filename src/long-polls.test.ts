import { expect, test } from 'vitest';
import { LongPolls, MAX_POLLS } from './long-polls.ts';

test('an organisation has a limit of long polls, whatever its number of teams, and each is released once', () => {
  const polls = new LongPolls({ maxOfOrg: 50 });
  const entered = Array.from({ length: 50 }, (_, n) => polls.enter({ org: 'one', team: `team ${n % 5}` }));
  const enter = (org: string, team: string) => (): unknown => polls.enter({ org, team });
  expect(enter('one', 'team 6')).toThrow(/50 requests of this organisation are waiting/);
  expect(enter('other', 'team 7')).not.toThrow();
  entered[0]?.leave();
  entered[0]?.leave();
  expect(enter('one', 'team 6')).not.toThrow();
  expect(enter('one', 'team 6')).toThrow(/organisation/);
  expect(polls.count).toBe(51);
});

test('a team has fewer than its organisation', () => {
  const polls = new LongPolls({ maxOfOrg: 50 });
  for (let n = 0; n < MAX_POLLS; n += 1) polls.enter({ org: 'one', team: 'one' });
  expect(() => polls.enter({ org: 'one', team: 'one' })).toThrow(/requests of this team are waiting/);
});
