import type { Visitor } from '../../engine/domain/role.ts';
import { formToken } from '../cookies.ts';
import { html } from '../html.ts';
import type { Page } from '../visit.ts';
import type { Words } from '../words/en.ts';

export type SignInNotice =
  | 'refused'
  | 'tooMany'
  | 'needed'
  | 'former'
  | 'unknown'
  | 'providerRefused'
  | 'providerAway';

/** `provider`: the host of a provider by which people may also sign in. */
export interface SignInAbout {
  readonly notice?: SignInNotice | undefined;
  readonly provider?: string | undefined;
}

const STATUS: Readonly<Record<SignInNotice, number>> = {
  ...{ refused: 403, tooMany: 429, needed: 401, former: 401 },
  ...{ unknown: 403, providerRefused: 403, providerAway: 503 },
};

/**
 * The code is behind the # of the link, so it reaches no server before the form is sent. It appears in no proxy's log, and the preview of a
 * chat does not use it up. Without the script, people can paste it.
 */
export function signInPage({ signIn }: Words, { notice, provider }: SignInAbout = {}): Page {
  return {
    title: signIn.title,
    ...(notice === undefined ? {} : { status: STATUS[notice] }),
    body: html`<section class="message"><h1>${signIn.title}</h1>
${notice !== undefined && html`<p class="notice" role="alert">${signIn[notice]}</p>`}
${
  provider !== undefined &&
  html`<p><a class="button" href="/console/sign-in/provider">${signIn.byProvider(provider)}</a></p>
<h2>${signIn.byLink}</h2>`
}
<p>${signIn.lead}</p>
<p><code>slotbridge console login --as viewer</code></p>
<form method="post" action="/console/sign-in" class="stack" data-sign-in>
<label for="code">${signIn.code}</label>
<input id="code" name="code" type="password" required maxlength="200" autocomplete="off" autocapitalize="none" spellcheck="false">
<button type="submit">${signIn.button}</button>
</form></section>`,
  };
}

/** A link signs in whom it was made for: whoever sent it may have meant to give another person their own session. */
export function replacePage(
  { signIn, roles }: Words,
  { code, token, session }: { readonly code: string; readonly token: string; readonly session: Visitor },
): Page {
  return {
    title: signIn.replace,
    body: html`<section class="message"><h1>${signIn.replace}</h1>
<p>${signIn.replaceText(session.who, roles[session.role])}</p>
<form method="post" action="/console/sign-in" class="stack">
<input type="hidden" name="form" value="${formToken(token)}"><input type="hidden" name="replace" value="yes"><input type="hidden" name="code" value="${code}">
<button type="submit">${signIn.replaceButton}</button>
<a class="button second" href="/console">${signIn.stay}</a>
</form></section>`,
  };
}

/** The browser continues automatically. */
export function signedInPage({ signIn }: Words): Page {
  return {
    title: signIn.done,
    body: html`<section class="message"><h1>${signIn.done}</h1>
<p><a class="button" href="/console">${signIn.goOn}</a></p></section>`,
  };
}
