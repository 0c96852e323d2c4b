import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/options.ts';
import { AppError } from '../../errors.ts';
import { FairShare, type Aside } from '../../fair/fair-share.ts';
import type { Owner } from '../../fair/round-robin.ts';
import { LOOKUPS } from '../auth/access.ts';
import type { Endpoint } from '../endpoint.ts';
import { isStream } from '../media.ts';
import { networkOf } from './network-of.ts';

/** More of one team than this wait for nothing: their clients have given up before their turn comes. */
const MOST_WAITING = 1_000;
/** Held by one organisation at most, so that a request of another finds a permit at once. */
const PART_OF_ONE = 3 / 4;

/** Requests of management keys at a time, and of one organisation. */
const OF_MANAGERS = 3;
const OF_ONE_MANAGER = 2;
/** Requests that take rights away, at a time: each is over in milliseconds. */
const REVOKING = 1;
/** Connections beside those of the pool that all other requests share; /readyz has that of look-ups with them. */
export const RESERVED_CONNECTIONS = OF_MANAGERS + REVOKING + LOOKUPS;

/** Requests without a key at a time; most of them ask somebody outside, and hold no connection meanwhile. */
const OF_STRANGERS = 16;
const OF_ONE_ADDRESS = 12;
/** Connections that they share: no team waits for one behind somebody whom nobody knows. */
export const CONNECTIONS_OF_STRANGERS = 3;

/** Whether requests of the operation have permits and connections of their own: an operator can always revoke a key. */
export const isReserved = (endpoint: Endpoint): boolean =>
  endpoint.auth === 'management_key' && !endpoint.lasts && !isStream(endpoint.body);

/**
 * Permits for the requests under way in this process: as many as the pool has connections for them, beside those that
 * are
 * reserved. Each kind is shared out by organisation, then by team, or by key where it is a management key.
 */
export class RequestPermits {
  readonly #ofTeams: FairShare;
  readonly #ofManagers = share(OF_MANAGERS, OF_ONE_MANAGER);
  readonly #revoking = share(REVOKING);
  readonly #ofStrangers = share(OF_STRANGERS, OF_ONE_ADDRESS);

  constructor(permits: number) {
    this.#ofTeams = share(permits, Math.max(1, Math.floor(permits * PART_OF_ONE)));
  }

  /** Runs `work` with a permit of the owner's; throws not_ready where too much of it waits already. */
  run<T>(endpoint: Endpoint, owner: Owner, work: (aside: Aside) => Promise<T>): Promise<T> {
    if (!isReserved(endpoint)) return this.#ofTeams.run(owner, work);
    return (endpoint.revokes ? this.#revoking : this.#ofManagers).run(owner, work);
  }

  /** The same for who needs no key, by address. What tells how the process is waits for nobody. */
  runStranger<T>({ tag }: Endpoint, { ip }: FastifyRequest, work: () => Promise<T>): Promise<T> {
    const address = networkOf(ip);
    return tag === 'system' ? work() : this.#ofStrangers.run({ org: address, team: address }, work);
  }

  /** How long the request has waited that waits longest for a permit. */
  get longestWaitMs(): number {
    const shares = [this.#ofTeams, this.#ofManagers, this.#revoking, this.#ofStrangers];
    return Math.max(...shares.map(({ longestWaitMs }) => longestWaitMs));
  }
}

/** As many as there are connections for, beside those of batches. */
export const openRequestPermits = ({ databasePools }: Config, ofBatches: number): RequestPermits =>
  new RequestPermits(Math.max(1, databasePools.api - ofBatches));

const share = (permits: number, mostOfOrg = permits): FairShare =>
  new FairShare({
    permits,
    mostOfOrg,
    mostWaiting: MOST_WAITING,
    refuse: () => new AppError('not_ready', 'Too many requests of this team wait here. Send this one again shortly.'),
  });
