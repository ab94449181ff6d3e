// A real Chromium for tests of pages. Each page fails its test when it asks another host for anything, or when its
// console has an error. The browser goes with this process: it reads its orders from a pipe, and ends with it.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { findBrowser } from '../../scripts/setup/browser.mjs';
import { PATIENCE_MS } from '../stand/patience.ts';

export interface PageOptions {
  /** Small, with touch, as on a phone. */
  readonly isPhone?: boolean;
  readonly colours?: 'light' | 'dark';
  readonly language?: string;
  /** IANA zone of the browser. Default: that of this machine. */
  readonly zone?: string;
  /** Console errors that belong to the test, such as those of a server that is being restarted. */
  readonly expected?: readonly RegExp[];
  /** The browser's clock is wrong by so much. */
  readonly clockAheadMs?: number;
}

export interface TestBrowser {
  /** Opens a page in a fresh profile; it is closed, and judged, after the test. */
  open(url: string, options?: PageOptions): Promise<Page>;
}

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const path = findBrowser();

/** Like `describe`, and skipped where there is no browser. */
export const describeInBrowser = describe.skipIf(path === undefined);

/** To be called in `describeInBrowser`: one browser for its tests. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  let visits: Visit[] = [];

  beforeAll(async () => {
    browser = await launch();
  });

  afterEach(async () => {
    const judged = visits;
    visits = [];
    for (const { context } of judged) await context.close();
    const complaints = judged.flatMap((visit) => visit.complaints);
    if (complaints.length > 0) throw new Error(`The page did what it must not:\n${complaints.join('\n')}`);
  });

  afterAll(async () => {
    await browser?.close();
  });

  return {
    async open(url, options = {}) {
      if (browser === undefined) throw new Error('The browser is started before the tests, not earlier.');
      const visit = await visitTo(browser, { url, options });
      visits.push(visit);
      await visit.page.goto(url);
      return visit.page;
    },
  };
}

/** For what `useBrowser` does not cover; whoever calls it closes it. */
export async function launch(): Promise<Browser> {
  return chromium.launch({
    ...(path === undefined ? {} : { executablePath: path }),
    // Chromium refuses to run as root with its own sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      // No name but those of this machine can be resolved: nothing leaves it, whatever a page tries.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      '--no-proxy-server',
      // Coloured edges of letters double the size of a picture.
      '--disable-lcd-text',
    ],
  });
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the page did that it must not. */
  readonly complaints: readonly string[];
}

/** A page in a fresh profile, before it has gone anywhere. */
export async function visitTo(
  browser: Browser,
  { url, options }: { url: string; options: PageOptions },
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: options.isPhone ? PHONE : DESK,
    hasTouch: options.isPhone ?? false,
    isMobile: options.isPhone ?? false,
    colorScheme: options.colours ?? 'light',
    locale: options.language ?? 'en-GB',
    ...(options.zone !== undefined && { timezoneId: options.zone }),
  });
  // Without it the browser's own 30 s would judge a busy machine.
  context.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  const { host } = new URL(url);
  const judge = (asked: string) => {
    const to = new URL(asked);
    if (/^(https?|wss?):$/.test(to.protocol) && to.host !== host)
      complaints.push(`a request to another host: ${asked}`);
  };
  const hear = (said: string) => {
    if (!(options.expected ?? []).some((pattern) => pattern.test(said)))
      complaints.push(`in its console: ${said}`);
  };
  context.on('request', (request) => judge(request.url()));
  context.on('console', (message) => {
    if (message.type() === 'error') hear(message.text());
  });
  context.on('weberror', (error) => hear(error.error().message));
  if (options.clockAheadMs !== undefined) await context.addInitScript(wrongClock(options.clockAheadMs));
  const page = await context.newPage();
  page.on('websocket', (socket) => judge(socket.url()));
  return { context, page, complaints };
}

function wrongClock(byMs: number): string {
  return `{
    const Right = Date;
    globalThis.Date = class extends Right {
      constructor(...given) {
        super(...(given.length === 0 ? [Right.now() + ${byMs}] : given));
      }
      static now() {
        return Right.now() + ${byMs};
      }
    };
  }`;
}
