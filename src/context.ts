import type { Config } from './config/options.ts';
import type { Db, Tx } from './db/open.ts';
import type { Logger } from './log.ts';
import type { Cipher } from './privacy/cipher.ts';

/** What every verb may use. Made once at start; `db` is the pool, or the transaction the verb runs in. */
export type Ctx = {
  config: Config;
  db: Db;
  log: Logger;
  /** Seals and opens personal columns, and makes the hashes that names are looked up by. */
  cipher: Cipher;
  /** What each wing gives a new team, in the transaction that makes it. */
  newTeam: readonly NewTeamStep[];
  /** Aborted when the process begins to stop: it is no longer ready for new work. */
  stopping?: AbortSignal;
  /** Whether a statement of this process failed lately because the server's disk is full. */
  outOfSpace?: () => boolean;
};

export type NewTeamStep = (ctx: TxCtx, teamId: string) => Promise<void>;

/** A Ctx inside a transaction. */
export type TxCtx<C extends Ctx = Ctx> = Omit<C, 'db'> & { db: Tx };

type TeamSettings = {
  minor_ordering_enabled?: boolean | null;
  full_patient_details_in_webhooks?: boolean | null;
  [setting: string]: unknown;
};

/** A Ctx on behalf of one team: every query of it is filtered by `team.id`. */
export type TeamCtx = Ctx & { team: { id: string; org_id: string; settings: TeamSettings } };

/** A Ctx on behalf of an organisation's management key. */
export type ManagementCtx = Ctx & {
  org: { id: string; plan: 'launch' | 'grow' | 'scale' };
  key: { id: string; role: 'org_admin' | 'team_admin'; team_ids: string[] | null };
};
