// Background work shares one queue. What waits for a provider or a laboratory may wait for minutes: it never has all
// places, and no team has more than half of its; neither have all laboratories together.
import { flagOfTeam, WAITS } from '../db/define-job.ts';

/** Jobs that one process does at a time. */
export const SLOTS = 6;
/** Of these, for what waits for somebody outside. */
const WAITING = 4;
const OF_A_TEAM = 2;

export type Places = {
  /** False where there is none for this team now. */
  take: (teamId: string) => boolean;
  leave: (teamId: string) => void;
  /** Flags of jobs that there is no place for now: the queue leaves them where they are. */
  taken: () => string[];
};

export function openPlaces(): Places {
  const ofTeams = new Map<string, number>();
  let all = 0;
  return {
    taken: () =>
      all >= WAITING ? [WAITS] : [...ofTeams].flatMap(([id, many]) => (many >= OF_A_TEAM ? [flagOfTeam(id)] : [])),
    take(teamId) {
      const ofTeam = ofTeams.get(teamId) ?? 0;
      if (all >= WAITING || ofTeam >= OF_A_TEAM) return false;
      all += 1;
      ofTeams.set(teamId, ofTeam + 1);
      return true;
    },
    leave(teamId) {
      all -= 1;
      const ofTeam = (ofTeams.get(teamId) ?? 1) - 1;
      if (ofTeam === 0) ofTeams.delete(teamId);
      else ofTeams.set(teamId, ofTeam);
    },
  };
}
