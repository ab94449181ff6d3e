// Google on loopback: Calendar v3, Sheets v4 and the OAuth endpoints on one origin, as strict as the real ones. It knows nothing
// about the worker. In: HTTP, and the controls of tests and demos (faults, staff, switches). Out: what really happened (truth,
// stats).
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { FaultPlan, installFaults } from '../faults.ts';
import { ConsentDesk } from './auth/consent.ts';
import { installOAuth } from './auth/routes.ts';
import { type OAuthGrant, TokenDesk } from './auth/tokens.ts';
import type { Role } from './calendar/calendar.ts';
import { Channels, type PingFate } from './calendar/channels.ts';
import { calendarMethods } from './calendar/methods.ts';
import { CalendarOffice } from './calendar/office.ts';
import { installControl } from './control.ts';
import { Counts, type GoogleStats } from './counts.ts';
import type { JsonObject } from './json.ts';
import type { CalendarOptions, GoogleSandboxOptions, SpreadsheetOptions } from './options.ts';
import { type QuotaLimits, Quotas } from './quotas.ts';
import { seededRandom } from './random.ts';
import { Front } from './request/front.ts';
import { sheetsMethods } from './sheets/methods.ts';
import { SheetsOffice } from './sheets/office.ts';
import { filled } from './sheets/range.ts';
import { Tab } from './sheets/tab.ts';
import { CalendarStaff } from './staff/calendar.ts';
import { SheetStaff, staffPrincipal } from './staff/sheets.ts';
import { defaultSwitches, type Switches } from './switches.ts';
import { Truth } from './truth.ts';

export type { CalendarOptions, GoogleSandboxOptions, SpreadsheetOptions };

export const defaultAccount = 'worker@slotbridge-sandbox.iam.gserviceaccount.com';
const bodyBytesMax = 32 * 1024 * 1024;

export class GoogleSandbox {
  readonly url: string;
  readonly tokenUrl: string;
  readonly faults: FaultPlan;
  readonly truth: Truth;
  readonly staff: { calendar: CalendarStaff; sheets: SheetStaff };
  /** May be changed while running. */
  readonly switches: Switches;
  /** How watch pings are disturbed; may be changed while running. */
  readonly pings: PingFate;
  readonly desk: TokenDesk;
  /** The browser part of OAuth, which begins at `authUrl`. */
  readonly consent: ConsentDesk;
  readonly authUrl: string;
  latencyMs: number;
  readonly #app: FastifyInstance;
  readonly #parts: Parts;

  private constructor(app: FastifyInstance, parts: Parts, options: GoogleSandboxOptions) {
    this.#app = app;
    this.#parts = parts;
    const address = app.server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    this.url = `http://${options.host ?? '127.0.0.1'}:${port}`;
    this.tokenUrl = `${this.url}/token`;
    this.faults = parts.faults;
    this.switches = parts.switches;
    this.pings = parts.channels.fate;
    this.desk = parts.desk;
    this.consent = parts.consent;
    this.authUrl = `${this.url}/o/oauth2/v2/auth`;
    this.latencyMs = options.latencyMs ?? 0;
    this.truth = new Truth(parts.calendars, parts.sheets);
    this.staff = { calendar: new CalendarStaff(parts.calendars), sheets: new SheetStaff(parts.sheets) };
  }

  static async start(options: GoogleSandboxOptions = {}): Promise<GoogleSandbox> {
    const parts = makeParts(options);
    const app = Fastify({ forceCloseConnections: true, bodyLimit: bodyBytesMax, exposeHeadRoutes: false });
    let sandbox: GoogleSandbox | undefined;
    app.addHook('onSend', async (_, __, payload) => {
      if (typeof payload === 'string') parts.counts.bytesSent += Buffer.byteLength(payload);
      return payload;
    });
    installFaults(app, parts.faults);
    installBodies(app);
    const front = new Front({
      ...parts,
      methods: [...calendarMethods(parts.calendars, parts.channels), ...sheetsMethods(parts.sheets)],
      latencyMs: () => sandbox?.latencyMs ?? 0,
    });
    installOAuth(app, parts);
    const google = (request: FastifyRequest, reply: FastifyReply) => front.handle(request, reply);
    installControl(app, { sandbox: () => sandbox, otherwise: google });
    app.all('/*', google);
    await app.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
    sandbox = new GoogleSandbox(app, parts, options);
    return sandbox;
  }

  /** A key file whose JWT the token endpoint verifies. Also creates the account. */
  serviceAccountKey(email: string = defaultAccount): JsonObject {
    return this.desk.serviceAccountKey(email, this.tokenUrl);
  }

  /** Allows the service account to act as these people. */
  allowDelegation(email: string, subjects: readonly string[] | 'all'): void {
    this.desk.allowDelegation(email, subjects);
  }

  /** The credentials of an OAuth client after a person has agreed. */
  oauthGrant(email: string, scopes: readonly string[]): OAuthGrant {
    return this.desk.grantOAuth(email, scopes);
  }

  /** Issues a bearer token directly, for plain HTTP. Scopes may be given without their prefix. */
  accessToken(
    email: string = defaultAccount,
    scopes: readonly string[] = ['calendar', 'spreadsheets'],
    isServiceAccount = true,
  ): string {
    return this.desk.issue({
      email,
      scopes: new Set(scopes.map((scope) => scope.replace(/^https:\/\/www\.googleapis\.com\/auth\//, ''))),
      isServiceAccount,
    });
  }

  addCalendar(id: string, options: CalendarOptions): void {
    const calendar = this.#parts.calendars.addCalendar({
      id,
      timeZone: options.timeZone ?? 'UTC',
      summary: options.summary ?? id,
    });
    for (const email of options.shareWith) calendar.share(email, options.role ?? 'writer');
  }

  addSpreadsheet(id: string, options: SpreadsheetOptions): void {
    const book = this.#parts.sheets.add({
      id,
      title: options.title ?? id,
      timeZone: options.timeZone ?? 'UTC',
    });
    book.share(staffPrincipal.email, 'owner');
    for (const email of options.shareWith) book.share(email, options.role ?? 'writer');
    book.tabs = options.tabs.map((about, i) => {
      const size = { rows: about.rows ?? 1000, columns: about.columns ?? 26 };
      const properties = {
        sheetId: i === 0 ? 0 : this.#parts.sheets.randomId(),
        title: about.title,
        hidden: false,
        frozenRowCount: 0,
        frozenColumnCount: 0,
        extra: {},
      };
      const tab = new Tab(properties, size);
      for (const [r, row] of (about.values ?? []).entries())
        tab.setRow(r, filled(row.map((value) => (value === '' ? undefined : { value }))));
      return tab;
    });
  }

  /** Revokes an account's access to a calendar or spreadsheet. */
  revokeAccess(id: string, email: string = defaultAccount): void {
    this.#parts.calendars.calendar(id)?.share(email, undefined);
    this.#parts.sheets.workbook(id)?.share(email, undefined);
  }

  /** Grants access, or changes the role. */
  grantAccess(
    id: string,
    email: string = defaultAccount,
    role: 'reader' | 'writer' | 'owner' | Role = 'writer',
  ): void {
    this.#parts.calendars.calendar(id)?.share(email, role);
    this.#parts.sheets.workbook(id)?.share(email, role === 'owner' || role === 'writer' ? role : 'reader');
  }

  /** Makes access tokens invalid (401). The next token request succeeds. */
  revokeTokens(): void {
    this.desk.revokeAccessTokens();
  }

  /** `invalid_grant` for one account or person, or for everyone, until `restoreGrants`. */
  revokeGrants(email?: string): void {
    this.desk.revokeGrants(email);
  }

  /** Number of refresh tokens of this person that still work. */
  grantsOf(email: string): number {
    return this.desk.grantsOf(email);
  }

  restoreGrants(): void {
    this.desk.restoreGrants();
  }

  changeQuotas(limits: QuotaLimits): void {
    this.#parts.quotas.change(limits);
  }

  /** For judges: called after each event write, also a deletion, with the event as it is then. */
  onEventWrite(listener: (calendarId: string, event: JsonObject) => void): void {
    const { calendars } = this.#parts;
    calendars.onChange((calendar) => {
      for (const event of calendar.changedSince(calendar.change - 1))
        listener(calendar.id, calendars.show(calendar, event, { isWhole: true }));
    });
  }

  /** Simulates people or their scripts: runs right after each write through the Sheets API, and the answer shows its changes. */
  onSheetWrite(script: (spreadsheetId: string) => void): void {
    this.#parts.sheets.onWrite(script);
  }

  /** Watch channels that are open now. */
  channels(): JsonObject[] {
    return this.#parts.channels.open();
  }

  stats(): GoogleStats {
    const { counts, quotas, calendars, channels, faults } = this.#parts;
    return {
      calls: counts.calls,
      callsByMethod: { ...counts.callsByMethod },
      answersByStatus: { ...counts.answersByStatus },
      bytesSent: counts.bytesSent,
      tokenRequests: counts.tokenRequests,
      quotaRefusals: quotas.refusals(),
      mailsSent: calendars.mailsSent(),
      notifyingCalls: calendars.notifyingCalls(),
      pingsSent: channels.pingsSent(),
      faults: faults.hits(),
    };
  }

  /** Restarts the counts of calls. Refusals, mails and pings keep their counts. */
  resetCounts(): void {
    this.#parts.counts.reset();
  }

  async close(): Promise<void> {
    this.#parts.channels.close();
    await this.#app.close();
  }
}

interface Parts {
  now: () => number;
  desk: TokenDesk;
  consent: ConsentDesk;
  quotas: Quotas;
  counts: Counts;
  switches: Switches;
  faults: FaultPlan;
  calendars: CalendarOffice;
  sheets: SheetsOffice;
  channels: Channels;
}

function makeParts(options: GoogleSandboxOptions): Parts {
  const clock = options.clock ?? { now: () => Date.now() };
  const now = (): number => clock.now();
  const seed = options.seed ?? 1;
  const switches: Switches = { ...defaultSwitches, ...options.switches };
  const calendars = new CalendarOffice({ now, random: seededRandom(seed), switches });
  const desk = new TokenDesk(now);
  return {
    now,
    desk,
    consent: new ConsentDesk(desk, now),
    quotas: new Quotas(now, options.quotas),
    counts: new Counts(),
    switches,
    // A separate random stream for each part, so that more faults do not change the ids.
    faults: new FaultPlan(seededRandom(seed + 1)),
    calendars,
    sheets: new SheetsOffice({ now, random: seededRandom(seed + 2) }),
    channels: new Channels(calendars, seededRandom(seed + 3)),
  };
}

/** Keeps bodies as text, so that errors in them are reported in Google's words, not in fastify's. */
function installBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}
