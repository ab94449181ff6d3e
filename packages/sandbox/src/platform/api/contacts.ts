/** Contact operations (platform API, Contacts). */
import type { Body } from '../body.ts';
import type { Core } from '../core.ts';
import type { Caller } from '../keys.ts';
import type { Call, Operation } from '../operation.ts';
import { listBody, pageOf, readCursor } from '../paging.ts';
import { toE164OrAsGiven } from '../phone.ts';
import { Problem } from '../problem.ts';
import type { ContactRecord } from '../records.ts';

const LIFECYCLES = ['lead', 'mql', 'sql', 'customer', 'churned'] as const;
const CHARS = { name: 255, email: 255, phone: 32, part: 128 } as const;

export function contactOperations(core: Core): Operation[] {
  const { contacts, renderer, world } = core;
  return [
    {
      method: 'GET',
      path: '/v1/contacts',
      scope: 'contacts:read',
      handle: (call) => ({ status: 200, json: list(core, call) }),
    },
    {
      method: 'POST',
      path: '/v1/contacts',
      scope: 'contacts:write',
      idempotency: 'required',
      handle: ({ body, caller }) => {
        const fields = readNew(body);
        body.check();
        const projectId = projectFor(caller, fields.projectId);
        const contact = contacts.create({ ...fields, projectId, source: 'api' });
        return { status: 201, json: renderer.contact(contact) };
      },
    },
    {
      method: 'GET',
      path: '/v1/contacts/:contact',
      scope: 'contacts:read',
      handle: (call) => ({ status: 200, json: renderer.contact(find(call)) }),
    },
    {
      method: 'PATCH',
      path: '/v1/contacts/:contact',
      scope: 'contacts:write',
      handle: (call) => {
        const contact = find(call);
        const patch = readPatch(call.body);
        call.body.check();
        contacts.change(contact, patch);
        return { status: 200, json: renderer.contact(contact) };
      },
    },
  ];

  function find({ params, caller }: Call): ContactRecord {
    const contact = world.contacts.get(params['contact']?.toLowerCase() ?? '');
    if (!contact || !caller.sees(contact.projectId)) throw new Problem('not-found', 'No such contact.');
    return contact;
  }
}

/** The project of a new object: the given one, or the key's only project. */
export function projectFor(caller: Caller, given: string | null | undefined): string {
  if (given) {
    caller.demandProject(given);
    return given;
  }
  const [only, ...others] = caller.projectIds();
  if (only !== undefined && others.length === 0) return only;
  throw new Problem('validation', 'The key has several projects: pass project_id.');
}

function list({ world, renderer, switches }: Core, { query, caller }: Call): unknown {
  const cursor = readCursor(query);
  const projectId = query.uuid('project_id');
  const email = query.text('email', CHARS.email);
  const phone = query.text('phone', CHARS.phone);
  const lifecycle = query.oneOf('lifecycle', LIFECYCLES);
  query.check();
  if (projectId) caller.demandProject(projectId);
  const e164 = phone === undefined ? undefined : toE164OrAsGiven(phone);
  const { items, hasMore } = pageOf(world.contacts, cursor, {
    sees: (id) => caller.sees(id),
    unknown: switches.unknownCursor,
    accepts: (contact) =>
      (projectId === undefined || contact.projectId === projectId) &&
      (email === undefined || contact.email === email) &&
      (e164 === undefined || contact.phone === e164) &&
      (lifecycle === undefined || contact.lifecycle === lifecycle),
  });
  return listBody(items.map(renderer.contact), hasMore);
}

function readNew(body: Body) {
  return {
    projectId: body.uuid('project_id'),
    type: body.oneOf('type', ['person', 'b2b_company']) ?? undefined,
    name: body.requiredText('name', CHARS.name),
    ...readParts(body),
    lifecycle: body.oneOf('lifecycle', LIFECYCLES) ?? undefined,
    metadata: body.metadata('metadata'),
  };
}

/** Only given fields change; null clears an optional field. */
function readPatch(body: Body) {
  body.refuseNull('name', 'lifecycle', 'status');
  return {
    name: body.has('name') ? body.requiredText('name', CHARS.name) : undefined,
    ...readParts(body),
    lifecycle: body.oneOf('lifecycle', LIFECYCLES) ?? undefined,
    status: body.oneOf('status', ['active', 'archived']) ?? undefined,
  };
}

function readParts(body: Body) {
  return {
    firstName: body.nullableText('first_name', CHARS.part),
    lastName: body.nullableText('last_name', CHARS.part),
    email: body.email('email', CHARS.email),
    phone: body.nullableText('phone', CHARS.phone),
    position: body.nullableText('position', CHARS.part),
  };
}
