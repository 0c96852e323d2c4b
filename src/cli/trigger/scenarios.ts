import { eventTypes } from '../../event-types.ts';
import { DELIVERY_SCENARIOS } from './delivery-scenarios.ts';
import { LAB_SCENARIOS } from './lab-scenarios.ts';
import type { Scenario, Untriggerable } from './scenario.ts';
import { WEARABLE_SCENARIOS } from './wearable-scenarios.ts';

/** Only a test refuses an event without a scenario. All other events of the program can still be triggered. */
export const NO_SCENARIO: Untriggerable = { reason: 'No scenario yet.' };

/** Every event type in the order of the catalogue, with what publishes it or why nobody can trigger it. */
export const SCENARIOS: ReadonlyMap<string, Scenario | Untriggerable> = new Map(
  eventTypes.map(({ name }) => [name, scenarioOf(name)]),
);

export function scenarioOf(type: string): Scenario | Untriggerable {
  for (const scenarios of [LAB_SCENARIOS, WEARABLE_SCENARIOS, DELIVERY_SCENARIOS])
    if (Object.hasOwn(scenarios, type)) return scenarios[type] as Scenario | Untriggerable;
  return NO_SCENARIO;
}
