// acl.*: access rules of a calendar. Reading them requires the role writer or owner; changing them requires owner.
// Every change of access invalidates the calendar's sync tokens.
import { type JsonObject, objectOf, stringOf } from '../json.ts';
import type { Answer, Call } from '../method.ts';
import { calendarRefusal, invalidValue, notInSandbox } from '../refusal.ts';
import { type Calendar, isRole } from './calendar.ts';
import { type CalendarOffice, needs, notFound } from './office.ts';

export class Sharing {
  readonly #office: CalendarOffice;

  constructor(office: CalendarOffice) {
    this.#office = office;
  }

  list(call: Call): Answer {
    const calendar = this.#readable(call);
    const items = [
      ruleOf(calendar, calendar.id),
      ...calendar.sharedWith().map((scope) => ruleOf(calendar, scope)),
    ];
    return {
      body: {
        kind: 'calendar#acl',
        etag: `"acl${calendar.epoch}"`,
        nextSyncToken: `acl-${calendar.epoch}`,
        items: items.filter((rule) => rule !== undefined),
      },
    };
  }

  get(call: Call): Answer {
    const calendar = this.#readable(call);
    return { body: this.#rule(calendar, scopeOfId(call.path['ruleId'] ?? '')) };
  }

  insert(call: Call): Answer {
    const calendar = this.#owned(call);
    const scope = objectOf(call.body['scope']);
    if (call.body['scope'] === undefined) throw required('Missing scope.');
    const type = stringOf(scope['type']);
    if (type === undefined) throw required('Missing scope type.');
    return this.#write(call, calendar, scopeNamed(type, stringOf(scope['value'])));
  }

  /** patch and update: only the role can change. */
  change(call: Call): Answer {
    const calendar = this.#owned(call);
    const scope = scopeOfId(call.path['ruleId'] ?? '');
    this.#rule(calendar, scope);
    return this.#write(call, calendar, scope);
  }

  delete(call: Call): Answer {
    const calendar = this.#owned(call);
    const scope = scopeOfId(call.path['ruleId'] ?? '');
    this.#rule(calendar, scope);
    if (scope === calendar.id)
      throw calendarRefusal(403, {
        domain: 'calendar',
        reason: 'cannotChangeOwnAcl',
        message: 'Cannot change your own access level.',
      });
    calendar.share(scope, undefined);
    return { status: 204 };
  }

  #write(call: Call, calendar: Calendar, scope: string): Answer {
    const role = stringOf(call.body['role']);
    if (role === undefined) throw required('Missing role.');
    if (role !== 'none' && !isRole(role)) throw invalidValue('Invalid role value.');
    if (scope === calendar.id)
      throw calendarRefusal(403, {
        domain: 'calendar',
        reason: 'cannotChangeOwnAcl',
        message: 'Cannot change your own access level.',
      });
    calendar.share(scope, role === 'none' ? undefined : role);
    // "Whether to send notifications about the calendar sharing change. Optional. The default is True."
    if (call.query.flag('sendNotifications') !== false && role !== 'none') this.#office.countNotifying(1);
    return { body: ruleOf(calendar, scope) ?? { ...shown(scope), role: 'none' } };
  }

  #rule(calendar: Calendar, scope: string): JsonObject {
    const rule = ruleOf(calendar, scope);
    if (rule === undefined) throw notFound();
    return rule;
  }

  #readable(call: Call): Calendar {
    const calendar = this.#office.reach(call.path['calendarId'] ?? '', call.principal);
    const role = calendar.roleOf(call.principal.email);
    if (role !== 'writer' && role !== 'owner') throw needs('writer');
    return calendar;
  }

  #owned(call: Call): Calendar {
    const calendar = this.#office.reach(call.path['calendarId'] ?? '', call.principal);
    if (calendar.roleOf(call.principal.email) !== 'owner') throw needs('owner');
    return calendar;
  }
}

function ruleOf(calendar: Calendar, scope: string): JsonObject | undefined {
  const role = calendar.ruleFor(scope);
  return role === undefined ? undefined : { ...shown(scope), etag: `"acl${calendar.epoch}"`, role };
}

function shown(scope: string): JsonObject {
  const [type, value] = partsOf(scope);
  return {
    kind: 'calendar#aclRule',
    id: value === undefined ? type : `${type}:${value}`,
    scope: value === undefined ? { type } : { type, value },
  };
}

/** The calendar stores people by address, domains as `domain:…` and everyone as `default`. */
function partsOf(scope: string): [string, string | undefined] {
  if (scope === 'default') return ['default', undefined];
  return scope.startsWith('domain:') ? ['domain', scope.slice(7)] : ['user', scope];
}

function scopeOfId(id: string): string {
  const [type = '', ...rest] = id.split(':');
  return type === 'default' ? 'default' : scopeNamed(type, rest.join(':'));
}

function scopeNamed(type: string, value: string | undefined): string {
  if (type === 'group') throw notInSandbox('sharing with groups');
  if (type === 'default') return 'default';
  if (type !== 'user' && type !== 'domain') throw invalidValue('Invalid scope type.');
  if (value === undefined || value === '') throw required('Missing scope value.');
  return type === 'user' ? value : `domain:${value}`;
}

function required(message: string) {
  return calendarRefusal(400, { reason: 'required', message });
}
