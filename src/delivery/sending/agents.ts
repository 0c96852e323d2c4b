import { Agent } from 'undici';
import type { Owner } from '../../fair/round-robin.ts';
import { tlsStarter, vettingConnector } from '../../outbound/connector.ts';
import { openResolver } from '../../outbound/resolve.ts';
import type { SenderOptions } from './send.ts';

type TeamAgent = { agent: Agent; underWay: number };

/** The connections of all teams. */
export type Agents = {
  /** The team's own, counted as used until `done`. */
  take: (owner: Owner) => { agent: Agent; done: () => void };
  destroy: () => Promise<void>;
};

/** Teams whose connections are kept although nothing is under way to them. */
const MOST_IDLE_TEAMS = 500;
/** A team never has more attempts under way. */
const MOST_CONNECTIONS = 128;
const MAX_KEEP_ALIVE_MS = 120_000;

/**
 * Kept connections, each team's its own: what a team's receiver does to one, or how many it holds, is nothing to another
 * team's at the same address. undici's agent closes an origin's pool after its last connection.
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
      connections: options.connectionsPerOrigin ?? MOST_CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: options.keepAliveMs ?? 30_000,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      // The absolute deadline of an attempt takes their place: undici's own run between chunks.
      headersTimeout: 0,
      bodyTimeout: 0,
    });

  const closeIdle = (): void => {
    for (const [team, { agent, underWay }] of agents) {
      if (agents.size <= MOST_IDLE_TEAMS) return;
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
