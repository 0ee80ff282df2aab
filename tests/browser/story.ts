// What people do in the browser, told as stories: every page and every action, with and without scripts, at three widths.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { KEN, served, signedIn, Watch, whole, type Site } from './browser.ts';

const PAGES = ['/', '/search', '/search?q=retry', '/search?verdict=broken', '/entries/retry.jitter', '/entries/cache.timetable', '/queue', '/queue?at=1', '/graph', '/runs', '/runs/task-1',
  '/reviews', '/reviews/review-sessions', '/outcomes?period=all', '/health', '/friction', '/drift', '/norms', '/diff?range=HEAD~2', '/session'];
/** So much may be transferred before a page is first painted. */
const FIRST_PAINT_BYTES_MAX = 150_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Story = [name: string, tell: (site: Site, browser: Browser, watch: Watch) => Promise<void>];

const heading = (page: Page) => page.locator('h1').first().innerText();

/** Does something that shows the page anew, and waits until the old one is gone: what is asked afterwards is asked of the new one. */
async function anew(page: Page, act: () => Promise<unknown>) {
  await page.evaluate(() => void (document.querySelector('main')!.dataset.old = 'yes'));
  await act();
  await page.locator('main:not([data-old])').waitFor();
}

/** Waits until something is so, also on a page without scripts. */
async function until<T>(page: Page, is: (given: T) => unknown, given: T) {
  for (let tries = 0; tries < 100; tries += 1) {
    // A page that is about to go cannot be asked.
    if (await page.evaluate(is as (given: unknown) => unknown, given).catch(() => false)) return;
    await page.waitForTimeout(100);
  }
  assert.fail(`it is not so: ${is} of ${JSON.stringify(given)}`);
}

/** Waits until an element stands in sight: scrolling takes a moment. */
async function inSight(page: Page, element: string) {
  await until(page, (element: string) => {
    const box = document.querySelector(element)?.getBoundingClientRect();
    return box && box.top >= 40 && box.bottom <= innerHeight;
  }, element);
}

/** Waits until it is said in sight what was done, and that the keyboard and a screen reader are led there; right before an element, if one is named. */
async function doneInSight(page: Page, what: RegExp, element?: string) {
  await page.locator('#done', { hasText: what }).waitFor();
  await until(page, (id: string) => document.activeElement?.id === id, 'done');
  await inSight(page, '#done');
  if (!element) return;
  const gap = await page.locator(element).first().evaluate((next) => next.getBoundingClientRect().top - document.querySelector('#done')!.getBoundingClientRect().bottom);
  assert.ok(gap >= 0 && gap < 80, `it stands ${gap} pixels before ${element}`);
}

const panel = (page: Page, name: string) => page.locator('.actions details', { has: page.locator('summary', { hasText: name }) });

/** Opens one of the actions of an entry, and gives its form. */
async function action(page: Page, name: string) {
  await panel(page, name).locator('summary').click();
  return panel(page, name).locator('form');
}

/** Waits until it is said in sight why a form was refused. */
async function refusedInSight(page: Page, why: RegExp) {
  await page.locator('#problem', { hasText: why }).waitFor();
  await inSight(page, '#problem');
}

/** Runs `ken` beside the browser. */
function ken(site: Site, actor: string, ...words: string[]) {
  const printed = execFileSync(KEN, [...words, '--json'], { cwd: site.place.repository, env: { ...site.place.env, KEN_ACTOR: actor }, stdio: ['ignore', 'pipe', 'pipe'] });
  return JSON.parse(printed.toString());
}

const STORIES: Story[] = [
  ['every page, at three widths, light and dark: nothing too wide, nothing serious for axe, little to load', async (site, browser, watch) => {
    const findings: string[] = [];
    for (const [width, colorScheme] of [[390, 'light'], [1024, 'dark'], [1600, 'light']] as const) {
      const page = await signedIn(site, browser, watch, { viewport: { width, height: 900 }, colorScheme });
      for (const path of PAGES) {
        let bytes = 0;
        const count = async (response: { body(): Promise<Buffer>; url(): string }) => {
          if (!response.url().includes('/api/v1/events')) bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
        };
        page.on('response', count);
        await page.goto(site.origin + path, { waitUntil: 'load' });
        page.off('response', count);
        await whole(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${path} is ${wide} pixels wider than ${width}`);
        assert.ok(bytes <= FIRST_PAINT_BYTES_MAX, `${path} loads ${bytes} bytes`);
        // Not a tag of the page: the policy would forbid it.
        await page.evaluate(AXE);
        const found = await page.evaluate(async () => {
          const result = await (window as never as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe.run();
          return result.violations.filter((one) => one.impact === 'serious' || one.impact === 'critical').map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`);
        });
        findings.push(...found.map((one) => `${path} at ${width}, ${colorScheme}: ${one}`));
      }
      await page.context().close();
    }
    assert.deepEqual(findings, []);
  }],

  ['every page is read without scripts', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    const wanted: Record<string, string> = { '/': 'What waits', '/search?q=retry': 'Retry with full jitter', '/entries/retry.jitter': 'As captured', '/queue?at=1': 'duplicates', '/graph': 'The same as a list', '/outcomes?period=all': 'success rate', '/diff?range=HEAD~2': 'One connection pool' };
    for (const path of PAGES) {
      const response = await page.goto(site.origin + path);
      assert.equal(response!.status(), 200, path);
      const text = await page.locator('main').innerText();
      assert.ok(text.includes(wanted[path] ?? (await heading(page))), `${path}: ${text}`);
    }
    // What takes long is a link away.
    await page.goto(`${site.origin}/diff?range=HEAD~2`);
    await page.locator('#effects a').click();
    assert.match(await page.locator('#effects').innerText(), /fresh → broken/);
    assert.match(await page.locator('#gates').innerText(), /blocks/);
    // The tables beside the charts can be opened, and links lead on.
    await page.goto(`${site.origin}/entries/retry.jitter`);
    await page.locator('.table-beside summary').click();
    assert.ok(await page.locator('#belief-table').isVisible());
    await page.locator('#links a', { hasText: 'One deadline for all tries' }).click();
    assert.equal(await heading(page), 'One deadline for all tries');
  }],

  ['actions work without scripts, too', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch, { javaScriptEnabled: false });
    await page.goto(`${site.origin}/entries/auth.constant-time`);
    const form = await action(page, 'Feedback');
    await form.locator('input[name=reason]').fill('it caught a mistake');
    await form.getByText('It helped').click();
    await page.waitForURL(/done=feedback/);
    await doneInSight(page, /Recorded/, '.actions details:has(summary:text-is("Feedback"))');
    assert.ok((await page.locator('#history').innerText()).includes('it caught a mistake'));
    const archive = await action(page, 'Archive');
    await archive.getByRole('button', { name: 'Archive' }).click();
    await doneInSight(page, /Archived/);
    await page.locator('.notice button').click();
    await doneInSight(page, /undone/, '.actions details:has(summary:text-is("Archive or retract"))');
    assert.match(page.url(), /auth\.constant-time/);
  }],

  ['what was done is said where one looks, with and without scripts', async (site, browser, watch) => {
    for (const [javaScriptEnabled, width] of [[true, 1280], [true, 390], [false, 390]] as const) {
      const page = await signedIn(site, browser, watch, { javaScriptEnabled, viewport: { width, height: 560 } });
      await page.goto(`${site.origin}/entries/retry.jitter`);
      const form = await action(page, 'Annotate');
      await form.locator('input[name=text]').fill(`Seen at ${width} pixels.`);
      await anew(page, () => form.locator('button').click());
      await doneInSight(page, /./, '.actions details:has(summary:text-is("Annotate"))');
      await anew(page, () => page.getByRole('button', { name: 'Pin here' }).click());
      await doneInSight(page, /./, 'form[action$="/unpin"]');
      await anew(page, () => page.getByRole('button', { name: 'Unpin' }).click());
      await page.goto(`${site.origin}/health`);
      await anew(page, () => page.getByRole('button', { name: 'Stale sweep' }).click());
      await doneInSight(page, /./, 'form[action="/health/maintain"]');
      await page.context().close();
    }
  }],

  ['a refused form keeps what was typed, stays open and says why where one looks', async (site, browser, watch) => {
    watch.expected.add(400).add(404).add(409).add(422);
    for (const [javaScriptEnabled, width, height] of [[false, 1280, 700], [true, 1280, 700], [true, 390, 760]] as const) {
      const page = await signedIn(site, browser, watch, { javaScriptEnabled, viewport: { width, height } });
      await page.goto(`${site.origin}/entries/auth.rotation`);
      let form = await action(page, 'Revise');
      const words = 'Keys are rotated at midnight; the old one is accepted for an hour.';
      await form.locator('textarea[name=statement]').fill(words);
      await form.locator('input[name=evidence]').fill('nonsense');
      await form.locator('input[name=reason]').fill('it says when');
      await form.locator('button').click();
      await refusedInSight(page, /nonsense/);
      form = panel(page, 'Revise').locator('form');
      assert.ok(await form.locator('#problem').isVisible());
      assert.equal(await form.locator('textarea[name=statement]').inputValue(), words);
      assert.equal(await form.locator('input[name=evidence]').inputValue(), 'nonsense');
      assert.equal(await form.locator('input[name=reason]').inputValue(), 'it says when');
      form = await action(page, 'Supersede');
      await form.locator('input[name=new]').fill('no.such.entry');
      await form.locator('input[name=reason]').fill('it says more');
      await form.locator('button').click();
      await refusedInSight(page, /no\.such\.entry/);
      form = panel(page, 'Supersede').locator('form');
      assert.equal(await form.locator('input[name=new]').inputValue(), 'no.such.entry');
      assert.equal(await form.locator('input[name=reason]').inputValue(), 'it says more');
      // Of an action without a panel.
      await page.goto(`${site.origin}/entries/auth.rotation`);
      const entry = await page.locator('.statement').innerText();
      assert.ok(!entry.includes('midnight'), entry);
      await page.context().close();
    }
  }],

  ['who is not at the machine signs in with a token', async (site, browser, watch) => {
    watch.expected.add(401);
    const { token } = ken(site, 'human:Ada', 'token', 'add', 'tablet', '--role', 'writer');
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ javaScriptEnabled });
      await watch.watch(context);
      const page = await context.newPage();
      await page.goto(`${site.origin}/queue?at=1`);
      await page.locator('input[name=token]').fill('ken_guess');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('main', { hasText: /unknown, expired or revoked/ }).waitFor();
      await page.locator('input[name=token]').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      // It leads to the page that was asked for.
      await page.waitForURL(`${site.origin}/queue?at=1`);
      assert.match(await page.locator('.who').innerText(), /tablet\s+writer/);
      // Its forms work as well.
      await page.goto(`${site.origin}/entries/auth.constant-time`);
      const form = await action(page, 'Annotate');
      await form.locator('input[name=text]').fill('Written on a tablet.');
      await form.locator('button').click();
      await page.locator('.annotation', { hasText: 'Written on a tablet.' }).first().waitFor();
      await context.close();
    }
  }],

  ['search as one types, narrow it, take a score apart, open an entry by the keyboard, and come back', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    await page.keyboard.press('/');
    await page.keyboard.type('jitter');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=jitter/);
    assert.ok((await page.locator('.result').count()) >= 2);
    await page.locator('#q').fill('');
    await page.locator('#q').pressSequentially('deadline of a request');
    await page.waitForURL(/q=deadline/);
    await page.locator('.result', { hasText: 'One deadline for all tries' }).waitFor();
    await page.locator('.facets summary').click();
    await page.locator('select[name=type]').selectOption('pattern');
    await page.waitForURL(/type=pattern/);
    await page.locator('.result', { hasText: 'One deadline for all tries' }).waitFor({ state: 'detached' });
    await page.locator('select[name=type]').selectOption('lesson');
    const result = page.locator('.result', { hasText: 'One deadline for all tries' });
    await result.waitFor();
    assert.ok((await result.innerText()).match(/\d+ % \(\d+ to \d+ %\)/));
    await result.locator('.score summary').click();
    const parts = await result.locator('.score tbody td:nth-child(4)').allInnerTexts();
    const score = Number(await result.locator('.score tfoot td:nth-child(4)').innerText());
    assert.ok(Math.abs(parts.reduce((sum, part) => sum + Number(part), 0) - score) < 0.01, `${parts} = ${score}`);
    const found = page.url();
    await page.locator('h1').click();
    await page.keyboard.press('j');
    const title = await page.evaluate(() => document.activeElement!.textContent);
    await page.keyboard.press('Enter');
    await page.waitForURL(/entries/);
    assert.ok(title!.includes(await heading(page)));
    await page.goBack();
    assert.equal(page.url(), found);
    assert.ok(await page.locator('.result').first().isVisible());
    await page.goto(`${site.origin}/search?q=zzzzqqqq&tag=nothing`);
    assert.match(await page.locator('#results').innerText(), /Nothing found/);
  }],

  ['keys: help, going to pages, moving in lists', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    await page.keyboard.press('?');
    assert.ok(await page.locator('#keys').isVisible());
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.waitForURL(/norms/);
    assert.equal(await heading(page), 'Norms and gates');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    assert.equal(await page.locator('.selected').count(), 1);
  }],

  ['an entry: evidence, code on both sides, belief, who was shown it; then every action', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    await page.goto(`${site.origin}/entries/retry.jitter`);
    assert.ok((await page.locator('#code .differs').allInnerTexts()).some((line) => line.includes('random.uniform')));
    assert.equal(await page.locator('#belief canvas').count(), 1);
    assert.ok((await page.locator('#exposures').innerText()).includes('review-sessions'));
    assert.ok((await page.locator('#links').innerText()).includes('← relates to'));

    await page.goto(`${site.origin}/entries/net.deadline`);
    let form = await action(page, 'Confirm');
    await form.locator('input[name=reason]').fill('the new client does it');
    await anew(page, () => form.locator('button').click());
    await page.locator('.notice').filter({ hasText: /confirm|counted|person/i }).first().waitFor();

    form = await action(page, 'Revise');
    await form.locator('textarea[name=statement]').fill('Every request has one deadline of 30 seconds for all of its tries.');
    await form.locator('input[name=tags]').fill('retry, limits');
    await form.locator('input[name=reason]').fill('shorter');
    await anew(page, () => form.locator('button').click());
    await page.locator('.statement', { hasText: 'one deadline of 30 seconds for all' }).waitFor();
    assert.ok((await page.locator('.entry-head').innerText()).includes('limits'));
    await anew(page, () => page.keyboard.press('u'));
    await page.locator('.statement', { hasText: 'counted from when the caller started' }).waitFor();

    await anew(page, () => page.getByRole('button', { name: 'Pin here' }).click());
    await page.locator('.badge', { hasText: 'pinned here' }).waitFor();
    await anew(page, () => page.getByRole('button', { name: 'Unpin' }).click());
    await page.getByRole('button', { name: 'Pin here' }).waitFor();
    await anew(page, () => page.getByRole('button', { name: 'Mute here' }).click());
    await page.locator('.badge', { hasText: 'muted here' }).waitFor();
    await anew(page, () => page.getByRole('button', { name: 'Unmute' }).click());
    await page.getByRole('button', { name: 'Mute here' }).waitFor();

    form = await action(page, 'Annotate');
    await form.locator('input[name=text]').fill('Ask Ben about the ferry gateway.');
    await anew(page, () => form.locator('button').click());
    await page.locator('.annotation', { hasText: 'ferry gateway' }).waitFor();

    form = await action(page, 'Link');
    await form.locator('select').selectOption('depends_on');
    await form.locator('input[name=to]').fill('booking.idempotent');
    await anew(page, () => form.locator('button').click());
    await page.locator('#links', { hasText: 'depends on' }).waitFor();

    await page.goto(`${site.origin}/entries/schedule.day`);
    form = await action(page, 'Archive');
    await form.locator('input[name=reason]').fill('the timetable is elsewhere now');
    await anew(page, () => form.getByRole('button', { name: 'Archive' }).click());
    await page.locator('.entry-head .badge', { hasText: 'archived' }).waitFor();
    form = await action(page, 'Restore');
    await anew(page, () => form.locator('button').click());
    await page.locator('.entry-head .badge', { hasText: 'candidate' }).waitFor();

    form = await action(page, 'Promote');
    await form.locator('select[name=to]').selectOption('procedural');
    await form.locator('select[name=type]').selectOption('pr_expectation');
    await form.locator('input[name=reason]').fill('asked twice');
    await anew(page, () => form.locator('button').click());
    await page.locator('.notice.good', { hasText: 'waits for an approver' }).waitFor();
    await page.goto(`${site.origin}/norms`);
    assert.ok((await page.locator('main').innerText()).includes('asked twice'));

    await page.goto(`${site.origin}/entries/auth.rotation`);
    form = await action(page, 'Supersede');
    await form.locator('input[name=new]').fill('auth.constant-time');
    await anew(page, () => form.locator('button').click());
    await page.locator('.entry-head .badge', { hasText: 'superseded' }).waitFor();
    await anew(page, () => page.getByRole('button', { name: 'Undo my last change' }).click());
    await page.locator('.notice', { hasText: 'undone' }).waitFor();
    assert.ok(!(await page.locator('.entry-head').innerText()).includes('superseded'));
  }],

  ['the queue: duplicates side by side, single keys, undo, anchors in bulk', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    await page.goto(`${site.origin}/queue`);
    await page.keyboard.press('j');
    await page.waitForURL(/at=1/);
    // Contradictions come before duplicates.
    for (let at = 2; !(await page.locator('.judge button', { hasText: 'Different' }).count()); at += 1) {
      await page.keyboard.press('j');
      await page.waitForURL(new RegExp(`at=${at}`));
    }
    assert.equal(await page.locator('.judge .card').count(), 2);
    assert.ok((await page.locator('.judge mark').count()) >= 1);
    const waiting = await page.locator('.judge .summary').innerText();
    await anew(page, () => page.keyboard.press('2'));
    await doneInSight(page, /./);
    assert.notEqual(await page.locator('.judge .summary').innerText(), waiting);
    await page.locator('#moved a').click();
    await page.locator('.result').first().waitFor();
    await anew(page, () => page.getByRole('button', { name: 'Update all anchors' }).click());
    await doneInSight(page, /./, '#results');
    assert.equal(await page.locator('.result').count(), 0);
  }],

  ['a norm is approved by a person, who types the code at the terminal', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    await page.goto(`${site.origin}/search?status=rejected`);
    await page.locator('.result a.row-link').first().click();
    assert.match(await page.locator('.fence').innerText(), /for a person/);
    assert.ok(!(await page.locator('main').innerText()).includes('Ignore all previous'));
    assert.ok(await page.getByRole('button', { name: 'Release' }).isDisabled());
    await page.goto(`${site.origin}/queue`);
    const proposal = () => page.locator('#approvals .card', { hasText: 'A change of the schema' });
    // What would count is shown, where it is new wording as well; who may not approve sees that before trying.
    const reworded = page.locator('#approvals .card h3', { hasText: 'has a test that sends it twice' });
    assert.equal(await reworded.count(), 1);
    for (const name of ['Approve', 'Reject']) assert.ok(await proposal().getByRole('button', { name }).isDisabled(), name);
    await page.locator('#approvals a[href="/session"]').click();
    const code = await page.locator('.code').innerText();
    site.type(code);
    // The terminal reads the line when it comes to it.
    for (let tries = 0; tries < 50 && !/person's session/.test(await page.locator('main').innerText()); tries += 1) {
      await page.waitForTimeout(200);
      await page.reload();
    }
    assert.match(await page.locator('main').innerText(), /person's session/);
    await page.goto(`${site.origin}/queue`);
    await anew(page, () => proposal().getByRole('button', { name: 'Approve' }).click());
    await doneInSight(page, /approved|in force/i);
    // What somebody rewords after the page was made is not approved: the page shows the new words first.
    watch.expected.add(403);
    ken(site, 'human:Cleo', 'add', 'pr_expectation', '--rule', 'A migration is tried on a copy.', '--id', 'norm.migration', '--draft');
    ken(site, 'human:Cleo', 'promote', 'norm.migration', '--to', 'procedural', '--reason', 'one was not', '--evidence', 'doc:CONTRIBUTING.md');
    await page.goto(`${site.origin}/queue`);
    const migration = () => page.locator('#approvals .card', { hasText: 'norm.migration' });
    await migration().getByText('on a copy.').first().waitFor();
    ken(site, 'human:Cleo', 'revise', 'norm.migration', '--statement', 'A migration is tried on a copy of last night.', '--reason', 'old copies hide faults');
    await anew(page, () => migration().getByRole('button', { name: 'Approve' }).click());
    await refusedInSight(page, /reworded since it was shown/);
    await migration().getByText('of last night').first().waitFor();
    await anew(page, () => migration().getByRole('button', { name: 'Approve' }).click());
    await doneInSight(page, /approved|in force/i);
    await page.goto(`${site.origin}/entries/norm.schema.back`);
    assert.match(await page.locator('main').innerText(), /approved by Ada/);
    // What the scan kept out is read and released by a person.
    await page.goto(`${site.origin}/search?status=rejected`);
    await page.locator('.result a.row-link').first().click();
    assert.match(await page.locator('.fence').innerText(), /Quarantined/);
    await page.locator('.fence summary').click();
    assert.match(await page.locator('.fenced').innerText(), /Ignore all previous instructions/);
  }],

  ['the graph: drawn, zoomed, filtered and opened by the keyboard, and the same as a list', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    await page.goto(`${site.origin}/graph`);
    const nodes = await page.locator('#graph .node').count();
    assert.equal(nodes, await page.locator('#graph-list [data-node]').count());
    assert.ok(nodes > 10);
    const place = () => page.locator('#graph svg > g').getAttribute('transform');
    const before = await place();
    await page.locator('#graph .node').first().focus();
    await page.keyboard.press('+');
    await page.keyboard.press('ArrowLeft');
    assert.notEqual(await place(), before);
    await page.locator('#graph-find').fill('jitter');
    assert.ok((await page.locator('#graph .node.faded').count()) > 0);
    await page.locator('#graph-ties').selectOption('used');
    await page.locator('#graph-find').fill('');
    await page.locator('#graph .node[aria-label^="Retry with full jitter"]').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/retry\.jitter/);
    await page.goto(`${site.origin}/graph`);
    await page.locator('select[name=domain]').selectOption('net');
    await page.waitForURL(/domain=net/);
    assert.ok((await page.locator('#graph .node').count()) < nodes);
  }],

  ['a change of the code is judged: what it does to entries, and what the gates say', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    await page.goto(`${site.origin}/diff?range=HEAD~2`);
    await whole(page);
    assert.match(await page.locator('#effects').innerText(), /fresh → broken/);
    assert.match(await page.locator('#gates').innerText(), /Begin the subject of a commit/);
    await page.locator('input[name=range]').fill('nonsense');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.notice.bad', { hasText: 'nonsense' }).waitFor();
  }],

  ['changes by others are told, and the page waits for the reader', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    const listens = page.waitForResponse((response) => response.url().includes('/api/v1/events'));
    await page.goto(`${site.origin}/search`);
    await listens;
    // Just after a page was made, changes are taken for its own.
    await page.waitForTimeout(2000);
    ken(site, 'agent:codex', 'add', 'lesson', 'Log the request id with every retry, or two attempts look like two requests.', '--id', 'log.id', '--draft');
    const news = page.locator('#changes', { hasText: 'since this page was made' });
    await news.waitFor({ timeout: 15_000 });
    await news.locator('a').click();
    await page.locator('.result', { hasText: 'Log the request id' }).waitFor();
  }],

  ['markup in an entry stays text', async (site, browser, watch) => {
    const text = '<img src=x onerror=alert(1)> and <script>alert(2)</script> are shown as they are.';
    ken(site, 'agent:codex', 'add', 'lesson', text, '--id', 'markup', '--draft', '--tag', 'html', '--title', '"><svg onload=alert(3)>');
    const page = await signedIn(site, browser, watch);
    for (const path of ['/entries/markup', '/search?q=onerror', '/search?q=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(4)%3E', '/search?tag=html', '/graph', '/']) {
      await page.goto(site.origin + path);
      assert.equal(await page.locator('main img, main script, main [onload], main [onerror]').count(), 0, path);
    }
    await page.goto(`${site.origin}/entries/markup`);
    assert.ok((await page.locator('.statement').innerText()).includes('<img src=x onerror=alert(1)>'));
  }],

  ['what is not there says so, and without a session nothing is shown', async (site, browser, watch) => {
    const page = await signedIn(site, browser, watch);
    watch.expected.add(404).add(401);
    await page.goto(`${site.origin}/entries/nothing`);
    assert.match(await page.locator('main').innerText(), /Not found/);
    await page.goto(`${site.origin}/nowhere`);
    assert.match(await page.locator('main').innerText(), /There is no page/);
    await page.goto(`${site.origin}/session`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${site.origin}/entries/retry.jitter`);
    assert.ok(!(await page.locator('body').innerText()).includes('jitter'));
  }],
];

const only = process.argv[4];
let passed = 0;
let failed = 0;
await served(async (site, browser) => {
  for (const [name, tell] of STORIES) {
    if (only && !name.includes(only)) continue;
    const watch = new Watch(site.origin);
    const begun = Date.now();
    try {
      await tell(site, browser, watch);
      assert.deepEqual(watch.faults, []);
      passed += 1;
      console.log(`ok ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.error(`FAILED ${name}\n${error instanceof Error ? error.stack : error}\n${watch.faults.join('\n')}`);
      for (const context of browser.contexts()) for (const page of context.pages()) console.error(`  at ${page.url()}`);
    }
    for (const context of browser.contexts()) await context.close();
  }
});
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
