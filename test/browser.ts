import chromium from '@sparticuz/chromium';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright, type Browser } from 'playwright-core';

export type TestBrowser = { browser: Browser; close: () => Promise<void> };

/** Why no browser can run here; null where one can. The package holds a Chromium for Linux on x64 only. */
export const noBrowser: string | null = process.platform === 'linux' && process.arch === 'x64'
  ? null
  : `there is no Chromium for ${process.platform} ${process.arch} on npm`;

/** Unpacks the Chromium of @sparticuz/chromium, with the libraries a bare Linux lacks, into a directory of its own and starts it. */
export async function openBrowser(): Promise<TestBrowser> {
  const directory = mkdtempSync(join(tmpdir(), 'phial-browser-'));
  const before = { ...process.env };
  // The package unpacks into the temporary directory, its libraries only where it takes this for an Amazon Linux.
  Object.assign(process.env, { TMPDIR: directory, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' });
  try {
    const executablePath = await chromium.executablePath();
    // Its own file names /tmp.
    const fonts = join(directory, 'fonts.conf');
    writeFileSync(fonts, `<fontconfig><dir>${join(directory, 'fonts')}</dir><cachedir>${join(directory, 'cache')}</cachedir></fontconfig>`);
    const browser = await playwright.launch({
      executablePath,
      args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'],
      env: { HOME: directory, TMPDIR: directory, LD_LIBRARY_PATH: join(directory, 'al2023', 'lib'), FONTCONFIG_FILE: fonts },
    });
    return {
      browser,
      close: async () => {
        await browser.close();
        rmSync(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  } finally {
    process.env = before;
  }
}
