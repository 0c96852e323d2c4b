import { nearest } from '../../config/nearest.ts';
import { CommandError, UsageError } from '../command.ts';
import { printJson, tableOf } from '../print.ts';
import { findManagedTeam, readEnvironmentOf, withRemote } from '../remote/with-remote.ts';
import { play } from './play.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

type TriggerOptions = {
  operand: string | undefined;
  list: boolean;
  url: string | undefined;
  key: string | undefined;
  org: string | undefined;
  team: string | undefined;
  json: boolean;
};

/** Most events come at once. Those of pulls and tables wait for a job. */
const PATIENCE_MS = 60_000;

/** Does in a sandbox what publishes an event, and prints the event. */
export async function triggerCommand(values: TriggerOptions): Promise<number> {
  const { operand: type, list, json } = values;
  if (list) return printList(json);
  if (type === undefined) throw new UsageError('phial trigger needs EVENT. phial trigger --list lists all events.');
  const scenario = findScenario(type);
  return withRemote('trigger', values, async (remote) => {
    const phial = remote.team();
    if ((await readEnvironmentOf(remote.baseUrl)) !== 'sandbox')
      throw new CommandError('phial trigger works in a sandbox only, because it makes people and orders.');
    const manage = () => findManagedTeam('trigger', remote, values);
    console.error(scenario.does);
    const event = await play({ phial, manage, type, scenario, patienceMs: PATIENCE_MS });
    if (event === null)
      throw new CommandError(
        `No ${type} came within ${PATIENCE_MS / 1000} s. Check that a worker runs, and, for endpoint.disabled, that ` +
          'the service can reach this machine.',
      );
    if (json) printJson(event);
    else console.log(`${event.created_at} ${event.event_type} ${event.id}`);
    return 0;
  });
}

function findScenario(type: string): Scenario {
  const found = SCENARIOS.get(type);
  if (found && 'play' in found) return found;
  if (found) throw new CommandError(`${type} cannot be triggered. ${found.reason}`);
  const meant = nearest(type, [...SCENARIOS.keys()]);
  throw new UsageError(
    `There is no event ${JSON.stringify(type)}.` +
      (meant ? ` Did you mean ${meant}?` : '') +
      ' phial trigger --list lists all events.',
  );
}

function printList(json: boolean): number {
  const events = [...SCENARIOS].map(([event_type, found]) =>
    'play' in found
      ? { event_type, can_be_triggered: true, what: found.does }
      : { event_type, can_be_triggered: false, what: found.reason },
  );
  if (json) printJson({ events });
  else
    console.log(
      tableOf(
        ['EVENT', 'WHAT HAPPENS'],
        events.map(({ event_type, can_be_triggered, what }) => [
          event_type,
          can_be_triggered ? what : `Cannot be triggered. ${what}`,
        ]),
      ),
    );
  return 0;
}
