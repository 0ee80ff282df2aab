// `ken serve` in a sample project, and Chromium on it. Scripts are started with the path of `ken` and that of Chromium.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { makeStore, type Place } from './store.ts';

export const KEN = process.argv[2];
const CHROMIUM = process.argv[3];

/** A server that runs at a terminal, with the project it serves. */
export type Site = { place: Place; origin: string; link(): Promise<string>; type(line: string): void; said: string[] };

/** Works with `ken serve` on a free port, at a terminal of its own. */
export async function served(work: (site: Site, browser: Browser) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ken-browser-'));
  let server: ChildProcess | undefined;
  let browser: Browser | undefined;
  try {
    const place = makeStore(KEN, folder);
    const line = `'${KEN}' serve --listen 127.0.0.1:0`;
    // Only what is typed on a terminal makes a person.
    server = spawn('script', ['-qec', line, '/dev/null'], { cwd: place.repository, env: { ...place.env, KEN_ACTOR: 'human:Ada' }, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    const said: string[] = [];
    const first = await new Promise<string>((resolve, reject) => {
      createInterface(server!.stdout!).on('line', (text) => {
        said.push(text.trim());
        if (text.includes('/login?key=')) resolve(text.trim());
      });
      server!.once('exit', () => reject(new Error(`the server ended: ${said.join('\n')}`)));
    });
    const links = [first];
    const link = async () => links.pop() ?? (await opened(place));
    const site: Site = { place, origin: new URL(first).origin, said, link, type: (text) => void server!.stdin!.write(`${text}\n`) };
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
    await work(site, browser);
  } finally {
    await browser?.close();
    if (server?.pid) process.kill(-server.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Another link into the browser: the first one is used up. */
function opened(place: Place): Promise<string> {
  return new Promise((resolve, reject) => {
    const open = spawn(KEN, ['open', '--print'], { cwd: place.repository, env: place.env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    open.stdout.on('data', (part) => (text += part));
    open.once('exit', () => {
      const found = text.match(/http:\S+/);
      if (found) resolve(found[0]);
      else reject(new Error(`ken open gave no link: ${text}`));
    });
  });
}

/** What must not happen on any page: an error, a breach of the policy, a request that leaves the origin. */
export class Watch {
  faults: string[] = [];
  /** Statuses that a story expects. */
  expected = new Set<number>();

  origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  async watch(context: BrowserContext): Promise<void> {
    await context.exposeBinding('reportViolation', (_, text: string) => void this.faults.push(`policy: ${text}`)).catch(() => {});
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => (window as never as { reportViolation(text: string): void }).reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
    });
    context.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(this.origin) && !url.startsWith('data:')) this.faults.push(`a request left the origin: ${url}`);
    });
    context.on('response', (response) => {
      if (response.status() >= 400 && !this.expected.has(response.status())) this.faults.push(`${response.status()} of ${response.url()}`);
    });
    context.on('page', (page) => {
      page.on('pageerror', (error) => this.faults.push(`${page.url()}: ${error.message}`));
      page.on('dialog', (dialog) => {
        this.faults.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('console', (message) => {
        // A status that a story expects is told on the console as well.
        if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
        this.faults.push(`${page.url()}: ${message.text()}`);
      });
    });
  }
}

/** Waits for the parts of a page that are loaded after it. */
export async function whole(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[hx-trigger=load]') === null);
}

/** A page that is signed in. */
export async function signedIn(site: Site, browser: Browser, watch: Watch, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await watch.watch(context);
  const page = await context.newPage();
  await page.goto(await site.link());
  await page.waitForURL(`${site.origin}/`);
  return page;
}
