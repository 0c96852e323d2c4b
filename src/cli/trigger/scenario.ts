import type { Phial } from '@phial/client';
import type { ManagedTeam } from '../remote/with-remote.ts';

/** With what a scenario works: the client of the team, its management, and a new user. */
export type Stage = {
  phial: Phial;
  user_id: string;
  /** Throws UsageError if there is no management key. */
  manage: () => Promise<{ manager: Phial; path: ManagedTeam }>;
  /** Is called with work to do once the event was published, such as the removal of an endpoint. */
  afterwards: (work: () => Promise<unknown>) => void;
};

/** What publishes an event of a type: real work, by public operations alone. */
export type Scenario = {
  /** What happens, for a person. */
  does: string;
  play: (stage: Stage) => Promise<unknown>;
};

/** Why nobody can trigger an event of a type by a request. */
export type Untriggerable = { reason: string };
