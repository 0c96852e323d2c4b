import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { listenByMllp, type MllpServer, type Peer } from '@phial/hl7/mllp-server';
import type { Ctx } from '../../../../context.ts';
import { networksPolicy } from '../../../../outbound/address-policy.ts';
import { findConnections, type Connection } from '../connections/find-connection.ts';
import type { Receive } from '../open-inbox.ts';
import { acknowledgeFrame } from './acknowledge-frame.ts';

const NOBODY = 'a connection to the HL7 port came from an address or certificate of no laboratory';

/**
 * Receives messages of laboratories by MLLP (HL7's protocol on TCP) on PHIAL_HL7_PORT. Returns null if the operator has
 * not set this option.
 */
export async function listenForLaboratories(ctx: Ctx, receive: Receive): Promise<MllpServer | null> {
  const { port, tls } = ctx.config.hl7;
  if (port === null) return null;
  return listenByMllp({
    host: ctx.config.host,
    port,
    tls: tls && {
      cert: readFileSync(tls.certificateFile),
      key: readFileSync(tls.keyFile),
      ca: tls.clientCaFile === null ? null : readFileSync(tls.clientCaFile),
    },
    admit: async (socket) => {
      const isAdmitted = (await findNeighbours(ctx, socket)).length > 0;
      if (!isAdmitted) ctx.log.warn(NOBODY);
      return isAdmitted;
    },
    identify: async (socket) => {
      const speakers = await findSpeakers(ctx, socket);
      if (speakers.length > 0) return peerOf(ctx, receive, speakers);
      ctx.log.warn(NOBODY);
      return null;
    },
    onError: (err) => ctx.log.error({ err }, 'a connection to the HL7 port failed'),
  });
}

function peerOf(ctx: Ctx, receive: Receive, speakers: Connection[]): Peer {
  const lab = speakers[0]?.slug;
  return {
    take: (content) => acknowledgeFrame(ctx, receive, speakers, content),
    onError: (error) => {
      const { code } = error as { code?: unknown };
      if (typeof code === 'string') ctx.log.warn({ lab, reason: code }, 'a connection of a laboratory broke');
      else ctx.log.error({ lab, err: error }, 'a message of a laboratory could not be handled');
    },
  };
}

/** Returns the laboratories whose networks, as the operator configured them, contain the peer's address. */
async function findNeighbours(ctx: Ctx, { remoteAddress = '' }: Socket): Promise<Connection[]> {
  const connections = await findConnections(ctx);
  return connections.filter(({ settings: { results } }) =>
    networksPolicy(results.networks ?? []).isAllowed(remoteAddress),
  );
}

/**
 * Returns the laboratories that may send on this connection. Their networks contain the peer's address. Their settings
 * name no certificate, or they name the certificate that the peer presented.
 */
async function findSpeakers(ctx: Ctx, socket: Socket): Promise<Connection[]> {
  const shown = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate().fingerprint256 : undefined;
  const neighbours = await findNeighbours(ctx, socket);
  return neighbours.filter(
    ({ settings: { results } }) => results.certificate_sha256 === undefined || results.certificate_sha256 === shown,
  );
}
