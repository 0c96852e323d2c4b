import chromium from '@sparticuz/chromium';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium as playwright, type Browser } from 'playwright-core';
import { hasCode } from '@phial/embedded-postgres/errors';

export type TestBrowser = { browser: Browser; close: () => Promise<void> };

type Installed = { executablePath: string; env: Record<string, string> };
let installed: Promise<Installed | string> | null = null;

/**
 * Starts the Chromium of @sparticuz/chromium. If no browser can run here, returns a text with the reason. A run of the
 * tests unpacks Chromium only once, because this takes longer than a start.
 */
export async function openBrowser(): Promise<TestBrowser | string> {
  const found = await (installed ??= install());
  if (typeof found === 'string') return found;
  const browser = await playwright.launch({
    ...found,
    args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  return { browser, close: () => browser.close() };
}

/** Returns where Chromium is. The first worker unpacks it for all workers. If that fails, the next one tries it. */
async function install(): Promise<Installed | string> {
  if (process.platform !== 'linux') return `the Chromium on npm is for Linux, not for ${process.platform}`;
  // The end of the run removes it.
  const directory = join(tmpdir(), 'browser');
  const result = join(directory, 'installed.json');
  while (!existsSync(result)) {
    if (!makeDirectory(directory)) {
      await wait(50);
      continue;
    }
    try {
      writeFileSync(`${result}.fresh`, JSON.stringify(await installInto(directory)));
      renameSync(`${result}.fresh`, result);
    } catch (error) {
      rmSync(directory, { recursive: true });
      throw error;
    }
  }
  return JSON.parse(readFileSync(result, 'utf8')) as Installed | string;
}

/** Returns false if it exists. */
function makeDirectory(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return false;
  }
}

/** Unpacks it, with the libraries and the font that a bare Linux lacks. */
async function installInto(directory: string): Promise<Installed | string> {
  const executablePath = await unpack(directory);
  const fonts = join(directory, 'fonts.conf');
  writeFileSync(
    fonts,
    `<fontconfig><dir>${join(directory, 'fonts')}</dir><cachedir>${join(directory, 'cache')}</cachedir></fontconfig>`,
  );
  const env = {
    HOME: directory,
    TMPDIR: directory,
    LD_LIBRARY_PATH: join(directory, 'al2023', 'lib'),
    FONTCONFIG_FILE: fonts,
  };
  const probe = spawnSync(executablePath, ['--no-sandbox', '--version'], { env, encoding: 'utf8' });
  if (probe.status !== 0) return `Chromium does not run here: ${probe.error?.message ?? probe.stderr.split('\n')[0]}`;
  return { executablePath, env };
}

/**
 * The package unpacks into the temporary directory. It unpacks its libraries only if the machine seems to be an Amazon
 * Linux.
 */
async function unpack(directory: string): Promise<string> {
  const { TMPDIR, AWS_EXECUTION_ENV } = process.env;
  Object.assign(process.env, { TMPDIR: directory, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' });
  try {
    return await chromium.executablePath();
  } finally {
    restore('TMPDIR', TMPDIR);
    restore('AWS_EXECUTION_ENV', AWS_EXECUTION_ENV);
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
