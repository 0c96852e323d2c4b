import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { isTokenPath, problemOfAuthorisation, problemOfCall, problemOfTokenRequest } from './provider-problems.ts';

/** A token request to the provider. */
type TokenRequest = { path: string; fields: Record<string, string>; authorization: string | undefined };

/** A request for data, as it arrived. */
export type DataRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  token: string;
  headers: Record<string, string | string[] | undefined>;
};
/** By default JSON with status 200; `text` is a body that is no JSON or incomplete. */
export type DataResponse =
  { status?: number; headers?: Record<string, string>; json?: unknown; text?: string } | 'hang up';

type Play = (request: DataRequest) => DataResponse | undefined | Promise<DataResponse>;

/**
 * A stand-in of a provider of wearable data on a real socket, with its page, its tokens and their revocation. It
 * accepts only the calls of the providers' documentation. If a test sends another call, or one with other parameters,
 * closing the stand-in fails that test.
 */
export type Provider = {
  baseUrl: string;
  /** The options that a service needs for its application here. */
  env: (slug: string) => Record<string, string>;
  tokenRequests: TokenRequest[];
  /** The tokens that the service has revoked, or has used in a revocation. */
  revoked: string[];
  /** The paths of revocations by DELETE. */
  ended: string[];
  /** The scopes that users grant; null: all that are asked for, and the answer does not name them. */
  grant: (scopes: string[] | null) => void;
  /** The scopes that are expected from now on, in this order; null: those of the connector. */
  expectScopes: (scopes: string[] | null) => void;
  /** The provider's own id of the next user who connects. */
  user: (id: string) => void;
  /** The answers to the next token requests, one each; after those it works as usual. */
  fail: (...answers: (Failure | 'hang up')[]) => void;
  /** How the answer to a token request is wrapped. */
  wrap: (how: (answer: Record<string, unknown>) => unknown) => void;
  /** Makes token requests wait until the returned function is called. */
  pauseTokenRequests: () => () => void;
  /** Whether a refresh token works once only, as most do. */
  rotate: (rotates: boolean) => void;
  /** Makes a refresh token, as if a user had agreed before. */
  issueRefreshToken: () => string;
  /** Sets the answers to requests for data; undefined: 404. A request with an ended token gets 401 first. */
  play: (how: Play) => void;
  /** Requests for data that came with a valid token. */
  asked: DataRequest[];
  /** Ends every access token before its time. */
  endAccessTokens: () => void;
  /** Whether revocations are answered with 500. */
  failRevocations: (fails: boolean) => void;
  /** Ends every refresh token, as when a user revokes the application. */
  revokeAll: () => void;
  close: () => Promise<void>;
};

type Failure = { status: number; body: string };

type Code = { challenge: string | null; redirectUri: string; scope: string };

export async function startProvider(): Promise<Provider> {
  const codes = new Map<string, Code>();
  const refreshTokens = new Set<string>();
  const tokenRequests: TokenRequest[] = [];
  const revoked: string[] = [];
  const ended: string[] = [];
  let granted: string[] | null = null;
  let expected: string | null = null;
  let user = 'provider-user-1';
  let failures: (Failure | 'hang up')[] = [];
  let wrap = (answer: Record<string, unknown>): unknown => answer;
  let rotates = true;
  let released: Promise<void> = Promise.resolve();
  let issued = 0;
  let revocationsFail = false;
  let play: Play = () => undefined;
  const live = new Set<string>();
  const endedTokens = new Set<string>();
  const asked: DataRequest[] = [];
  const wrong = new Set<string>();
  const note = (problem: string | null): void => void (problem !== null && wrong.add(problem));

  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const refuse = (response: ServerResponse, error: string): void => json(response, 400, { error });

  /** The user agrees at once. */
  const authorize = (url: URL, response: ServerResponse): void => {
    const asked = Object.fromEntries(url.searchParams);
    const code = randomBytes(8).toString('hex');
    const scope = granted === null ? '' : granted.join(asked['scope']?.includes(',') ? ',' : ' ');
    codes.set(code, { challenge: asked['code_challenge'] ?? null, redirectUri: asked['redirect_uri'] ?? '', scope });
    const back = new URL(asked['redirect_uri'] ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked['state'] ?? '');
    response.writeHead(302, { location: back.href }).end();
  };

  const issue = (scope: string): Record<string, unknown> => {
    issued += 1;
    const refresh = `refresh-${issued}`;
    refreshTokens.add(refresh);
    return {
      access_token: `access-${issued}`,
      refresh_token: refresh,
      token_type: 'Bearer',
      expires_in: 3600,
      userid: user,
      x_user_id: user,
      athlete: { id: user },
      ...(scope === '' ? {} : { scope }),
    };
  };

  const exchange = (fields: Record<string, string>, response: ServerResponse): void => {
    if (fields['grant_type'] === 'authorization_code') {
      const code = codes.get(fields['code'] ?? '');
      codes.delete(fields['code'] ?? '');
      const proof = createHash('sha256')
        .update(fields['code_verifier'] ?? '')
        .digest('base64url');
      const isProven = code?.challenge === null || code?.challenge === proof;
      if (!code || !isProven || code.redirectUri !== fields['redirect_uri']) return refuse(response, 'invalid_grant');
      return json(response, 200, wrap(issue(code.scope)));
    }
    const old = fields['refresh_token'] ?? '';
    if (!refreshTokens.has(old)) return refuse(response, 'invalid_grant');
    const answer = issue('');
    if (rotates) refreshTokens.delete(old);
    else delete answer['refresh_token'];
    return json(response, 200, wrap(answer));
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://provider');
    const query = Object.fromEntries(url.searchParams);
    if (query['response_type'] !== undefined) {
      note(problemOfAuthorisation(url.pathname, query, expected));
      return authorize(url, response);
    }
    const body = await text(request);
    const isJson = request.headers['content-type'] === 'application/json';
    const fields = isJson ? {} : Object.fromEntries(new URLSearchParams(body));
    const isForTokens = isTokenPath(url.pathname) || fields['grant_type'] !== undefined;
    if (isForTokens) note(problemOfTokenRequest(url.pathname, fields, request.headers.authorization));
    else {
      const call = { method: request.method ?? '', path: url.pathname, query, fields };
      note(problemOfCall({ ...call, json: isJson ? JSON.parse(body) : null }));
    }
    if (/revoke|deauthorize/.test(url.pathname)) {
      if (revocationsFail) return json(response, 500, {});
      revoked.push(fields['token'] ?? fields['access_token'] ?? url.searchParams.get('access_token') ?? '');
      return json(response, 200, {});
    }
    if (isForTokens) {
      tokenRequests.push({ path: url.pathname, fields, authorization: request.headers.authorization });
      await released;
      const failure = failures.shift();
      if (failure === 'hang up') return void request.socket.destroy();
      if (failure) return void response.writeHead(failure.status).end(failure.body);
      return exchange(fields, response);
    }
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    const { method = '', headers } = request;
    const data = { method, path: url.pathname, query: url.searchParams, body, token, headers };
    if (endedTokens.has(token)) return json(response, 401, {});
    live.add(token);
    if (method === 'DELETE' && !/subscription/.test(url.pathname)) {
      if (revocationsFail) return json(response, 500, {});
      revoked.push(token);
      ended.push(url.pathname);
      return void response.writeHead(204).end();
    }
    asked.push(data);
    const asksIdentity = /identity|personal_info|profile\/basic|v1\/user$|v3\/users$/.test(url.pathname);
    const otherwise = asksIdentity
      ? { json: { id: user, healthUserId: user, user_id: user } }
      : { status: 404, json: {} };
    const played: DataResponse = (await play(data)) ?? otherwise;
    if (played === 'hang up') return void request.socket.destroy();
    const { status = 200, text: raw } = played;
    response.writeHead(status, { 'content-type': 'application/json', ...played.headers });
    response.end(raw ?? JSON.stringify(played.json ?? {}));
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl,
    env: (slug) => ({
      [`PHIAL_${slug.toUpperCase()}_CLIENT_ID`]: `client-of-${slug}`,
      [`PHIAL_${slug.toUpperCase()}_CLIENT_SECRET`]: `secret-of-${slug}`,
      [`PHIAL_${slug.toUpperCase()}_BASE_URL`]: baseUrl,
    }),
    tokenRequests,
    revoked,
    ended,
    grant: (scopes) => (granted = scopes),
    expectScopes: (scopes) => (expected = scopes?.join(' ') ?? null),
    user: (id) => (user = id),
    fail: (...answers) => (failures = answers),
    wrap: (how) => (wrap = how),
    rotate: (does) => (rotates = does),
    issueRefreshToken: () => String(issue('')['refresh_token']),
    failRevocations: (fails) => (revocationsFail = fails),
    revokeAll: () => refreshTokens.clear(),
    play: (how) => (play = how),
    asked,
    endAccessTokens: () => live.forEach((token) => endedTokens.add(token)),
    pauseTokenRequests: () => {
      let release = (): void => undefined;
      released = new Promise((resolve) => (release = resolve));
      return release;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      expect([...wrong]).toEqual([]);
    },
  };
}
