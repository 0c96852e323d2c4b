import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { RequestShares } from './request-shares.ts';

/** Requests that stay until they are let go, and the order in which they began. */
function openShares(places: number) {
  const shares = new RequestShares(places);
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const send = (team: string): Promise<void> =>
    shares.run(team, () => {
      began.push(team);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  return {
    began,
    send,
    /** Ends the request that began first of those under way. */
    endOne: async () => {
      ends.shift()?.();
      await wait(0);
    },
  };
}

describe('requests under way', () => {
  test('of one team leave a place for another, who begins at once', async () => {
    const { began, send } = openShares(4);
    for (let i = 0; i < 10; i += 1) void send('flood');
    void send('other');
    await wait(0);
    expect(began).toEqual(['flood', 'flood', 'flood', 'other']);
  });

  test('give their place back while they wait for something else, and take one as any other afterwards', async () => {
    const shares = new RequestShares(1);
    const [steps, resumes]: [string[], (() => void)[]] = [[], []];
    const waits = shares.run('one', async (aside) => {
      await aside(() => new Promise<void>((resolve) => resumes.push(resolve)));
      steps.push('goes on');
    });
    const other = shares.run('other', async () => {
      steps.push('other began');
      await new Promise<void>((resolve) => resumes.push(resolve));
      steps.push('other ended');
    });
    await wait(0);
    resumes[0]?.();
    await wait(0);
    expect(steps).toEqual(['other began']);
    resumes[1]?.();
    await Promise.all([waits, other]);
    expect(steps).toEqual(['other began', 'other ended', 'goes on']);
    await expect(shares.run('third', () => Promise.resolve('answered'))).resolves.toBe('answered');
  });

  test('give the place that comes free to the team that holds the fewest, not to who waits longest', async () => {
    const { began, send, endOne } = openShares(4);
    for (let i = 0; i < 10; i += 1) void send('flood');
    for (let i = 0; i < 3; i += 1) void send('other');
    await wait(0);
    began.length = 0;
    await endOne();
    await endOne();
    expect(began).toEqual(['other', 'flood']);
  });

  test('that fail give their place back', async () => {
    const shares = new RequestShares(1);
    await expect(shares.run('team', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await expect(shares.run('team', () => Promise.resolve('answered'))).resolves.toBe('answered');
  });

  test('are refused as not_ready where a thousand of the same team wait, while another team is served', async () => {
    const { send } = openShares(4);
    for (let i = 0; i < 1003; i += 1) void send('flood');
    await expect(send('flood')).rejects.toMatchObject({ code: 'not_ready' });
    const shares = openShares(4);
    void shares.send('other');
    await wait(0);
    expect(shares.began).toEqual(['other']);
  });
});
