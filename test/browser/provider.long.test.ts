// Sign-in by a provider in a real browser: cookies that no other site sends have to be there when people come back from one.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { CLIENT, startProvider } from '../console/provider.ts';
import { useConsole } from '../console/stand.ts';
import { describeInBrowser, launch } from './browser.ts';

describeInBrowser('sign-in by a provider in a browser', () => {
  const openConsole = useConsole();
  let browser: Awaited<ReturnType<typeof launch>>;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());
  afterEach(() => provider.close());

  it('leads to another site and back, with one click', async () => {
    // Another site than 127.0.0.1, where the console is.
    provider = await startProvider('localhost');
    const roles = { viewer: [], desk: [], ops: ['anna@clinic.example'] };
    const oidc = { ...CLIENT, issuer: provider.issuer, scope: 'openid email', roles };
    const stand = await openConsole({ settings: { oidc } });
    const context = await browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    await page.goto(`${stand.url}/console/letters`);
    await page.getByRole('link', { name: /^Sign in with localhost/ }).click();
    await page.getByRole('heading', { name: 'Everything is mirrored' }).waitFor();
    expect(page.url()).toBe(`${stand.url}/console`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('One-time code').waitFor();
    await context.close();
  });
});
