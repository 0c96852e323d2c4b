import { Agent } from 'undici';
import type { Owner } from '../../fair/round-robin.ts';
import { tlsStarter, vettingConnector } from '../../outbound/vetting-connector.ts';
import { openResolver } from '../../outbound/open-resolver.ts';
import type { SenderOptions } from './send.ts';

type TeamAgent = { agent: Agent; underWay: number };

/** The HTTP connections of all teams. */
export type Agents = {
  /**
   * Returns the agent of the team. The caller must call `done` when its request has ended. Until then the agent stays
   * open.
   */
  take: (owner: Owner) => { agent: Agent; done: () => void };
  destroy: () => Promise<void>;
};

/** The most teams whose idle connections stay open. */
const MAX_IDLE_TEAMS = 500;
/** The most connections of a team to one origin. A team never has more attempts under way. */
const MAX_CONNECTIONS = 128;
const MAX_KEEP_ALIVE_MS = 120_000;

/**
 * Opens keep-alive connections, with an agent of undici for each team. So an endpoint of one team cannot break or use
 * up the connections of another team to the same address.
 */
export function openAgents(options: SenderOptions & { timeoutMs: number }): Agents {
  const { policy, timeoutMs } = options;
  const startTls = tlsStarter(timeoutMs, options.ca);
  const resolver = options.resolver ?? openResolver();
  const agents = new Map<string, TeamAgent>();

  const open = (owner: Owner): Agent =>
    new Agent({
      connect: vettingConnector({
        policy,
        timeoutMs,
        startTls,
        lookup: (hostname, forMs) => resolver.lookup(owner, hostname, forMs),
      }),
      connections: options.connectionsPerOrigin ?? MAX_CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: options.keepAliveMs ?? 30_000,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      // undici restarts these time-outs with each chunk. We turn them off, because an attempt has one deadline for
      // everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    });

  const closeIdle = (): void => {
    for (const [team, { agent, underWay }] of agents) {
      if (agents.size <= MAX_IDLE_TEAMS) return;
      if (underWay > 0) continue;
      agents.delete(team);
      void agent.destroy();
    }
  };

  return {
    take: (owner) => {
      const { team } = owner;
      const ofTeam = agents.get(team) ?? { agent: open(owner), underWay: 0 };
      agents.set(team, ofTeam);
      ofTeam.underWay += 1;
      const done = (): void => {
        ofTeam.underWay -= 1;
        closeIdle();
      };
      return { agent: ofTeam.agent, done };
    },
    destroy: async () => {
      await Promise.all([...agents.values()].map(({ agent }) => agent.destroy()));
    },
  };
}
