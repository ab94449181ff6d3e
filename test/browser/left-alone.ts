// For browser.test.ts: a process with a browser, which is then killed.
import { launch } from './browser.ts';

const browser = await launch();
await (await browser.newPage()).goto('about:blank');
console.log('up');
