import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/options.ts';
import { AppError } from '../../errors.ts';
import { FairShare, type Aside } from '../../fair/fair-share.ts';
import type { Owner } from '../../fair/round-robin.ts';
import { LOOKUPS } from '../auth/access.ts';
import type { Operation } from '../../operation/operation.ts';
import { isStream } from '../../operation/media.ts';
import { networkOf } from './network-of.ts';

/**
 * The most requests of one team that wait for a permit. In a longer queue, the last clients would give up before their
 * requests run.
 */
const MAX_WAITING = 1_000;
/**
 * One organisation gets at most this part of the permits. So a request of another organisation usually finds a free
 * permit at once.
 */
const PART_OF_ONE = 3 / 4;

/** The permits for requests with management keys: for all organisations together, and for one organisation. */
const OF_MANAGERS = 3;
const OF_ONE_MANAGER = 2;
/** The permits for requests that revoke keys or other rights. Such a request takes milliseconds. */
const REVOKING = 1;
/**
 * Database connections in addition to the pool that the other requests share. /readyz uses the connections for look-ups
 * (`LOOKUPS`).
 */
export const RESERVED_CONNECTIONS = OF_MANAGERS + REVOKING + LOOKUPS;

/**
 * The permits for anonymous callers. Most of their requests wait for another service, and use no database connection
 * meanwhile.
 */
const OF_ANONYMOUS_CALLERS = 16;
const OF_ONE_ADDRESS = 12;
/** Database connections that only anonymous callers use. So no team waits for anonymous callers. */
export const CONNECTIONS_OF_ANONYMOUS_CALLERS = 3;

/**
 * Returns true if the operation uses reserved permits and connections. Requests of teams cannot use up the reserved
 * ones. So somebody can revoke a key even when the service is overloaded.
 */
export const isReserved = (operation: Operation): boolean =>
  (operation.auth === 'management_key' || operation.auth === 'session') &&
  !operation.lasts &&
  !isStream(operation.body);

/**
 * The permits for requests of this process. Requests of teams have one permit for each connection of the pool.
 * Management requests, requests that revoke, and anonymous callers each have permits of their own. The permits of each
 * kind are given in round robin, by organisation and then by team or management key.
 */
export class RequestPermits {
  readonly #ofTeams: FairShare;
  readonly #ofManagers = share(OF_MANAGERS, OF_ONE_MANAGER);
  readonly #revoking = share(REVOKING);
  readonly #ofAnonymousCallers = share(OF_ANONYMOUS_CALLERS, OF_ONE_ADDRESS);

  constructor(permits: number) {
    this.#ofTeams = share(permits, Math.max(1, Math.floor(permits * PART_OF_ONE)));
  }

  /** Runs `work` with a permit of the owner. Throws not_ready if too many requests of the owner wait. */
  run<T>(operation: Operation, owner: Owner, work: (aside: Aside) => Promise<T>): Promise<T> {
    if (!isReserved(operation)) return this.#ofTeams.run(owner, work);
    return (operation.revokes ? this.#revoking : this.#ofManagers).run(owner, work);
  }

  /** Runs `work` with a permit of the caller's network. Health and readiness checks run without a permit. */
  runAnonymous<T>({ tag }: Operation, { ip }: FastifyRequest, work: () => Promise<T>): Promise<T> {
    const address = networkOf(ip);
    return tag === 'system' ? work() : this.#ofAnonymousCallers.run({ org: address, team: address }, work);
  }

  /** The time that the longest-waiting request has waited for a permit. */
  get longestWaitMs(): number {
    const shares = [this.#ofTeams, this.#ofManagers, this.#revoking, this.#ofAnonymousCallers];
    return Math.max(...shares.map(({ longestWaitMs }) => longestWaitMs));
  }
}

/** Makes one permit for each connection of the pool, except those that batches use. */
export const openRequestPermits = ({ databasePools }: Config, ofBatches: number): RequestPermits =>
  new RequestPermits(Math.max(1, databasePools.api - ofBatches));

const share = (permits: number, maxOfOrg = permits): FairShare =>
  new FairShare({
    permits,
    maxOfOrg,
    maxWaiting: MAX_WAITING,
    refuse: () => new AppError('not_ready', 'Too many requests of this team are waiting. Send this one again shortly.'),
  });
