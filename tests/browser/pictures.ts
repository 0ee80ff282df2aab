// Makes a picture of each page for the documentation, in a folder: light, and dark for two of them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { served, signedIn, Watch, whole } from './browser.ts';

const FOLDER = process.argv[4];
const PICTURES: [name: string, path: string, dark?: boolean, width?: number][] = [
  ['home', '/'],
  ['search', '/search?q=retry'],
  ['entry', '/entries/retry.jitter'],
  ['contradiction', '/entries/cache.timetable', true],
  ['queue', '/queue?at=1'],
  ['graph', '/graph'],
  ['reviews', '/reviews/review-sessions'],
  ['outcomes', '/outcomes?period=all', true],
  ['friction', '/friction?period=all'],
  ['drift', '/drift'],
  ['norms', '/norms'],
  ['diff', '/diff?range=HEAD~2'],
  ['phone', '/entries/booking.idempotent', false, 390],
];
const BYTES_MAX = 100_000;

await served(async (site, browser) => {
  for (const [name, path, dark, width] of PICTURES) {
    const viewport = { width: width ?? 1280, height: width ? 844 : 860 };
    const page = await signedIn(site, browser, new Watch(site.origin), { viewport, colorScheme: dark ? 'dark' : 'light' });
    await page.goto(site.origin + path);
    await whole(page);
    if (name === 'search') await page.locator('.score summary').nth(1).click();
    await page.locator('body').click({ position: { x: 2, y: 600 } });
    await page.waitForTimeout(300);
    const png = await page.screenshot();
    await page.context().close();
    // Chromium writes WebP, which is a third as large; its own blank page has no policy that forbids it.
    const blank = await browser.newPage();
    const webp = await blank.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext('2d')!.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.86).split(',')[1];
    }, `data:image/png;base64,${png.toString('base64')}`);
    await blank.close();
    const bytes = Buffer.from(webp, 'base64');
    if (bytes.length > BYTES_MAX) throw new Error(`the picture of ${name} has ${bytes.length} bytes`);
    writeFileSync(join(FOLDER, `browser-${name}.webp`), bytes);
    console.log(`browser-${name}.webp: ${bytes.length} bytes`);
  }
});
