/** The dashboard as JSON: each action takes its arguments as one object. Unknown fields are refused. */
import * as z from 'zod';
import type { Dashboard } from './dashboard.ts';

const id = z.string();
const moment = z.union([z.number(), z.string()]);
const schedule = z.record(z.string(), z.array(z.tuple([z.string(), z.string()])));
const nullableText = z.string().nullable();
const byId = z.strictObject({ id });
const active = z.boolean().optional();
const failureCode = z.enum(['channel_not_configured', 'recipient_unavailable', 'provider_error']);

const branch = z.strictObject({
  projectId: id,
  name: z.string(),
  id: id.optional(),
  address: z.string().optional(),
  phone: z.string().optional(),
  timezone: z.string().optional(),
  schedule: schedule.optional(),
  daysOff: z.array(z.string()).optional(),
});
const resource = z.strictObject({
  branchId: id,
  name: z.string(),
  id: id.optional(),
  kind: z.enum(['person', 'place', 'item']).optional(),
  positionTitle: nullableText.optional(),
  capacity: z.int().optional(),
  schedule: schedule.nullable().optional(),
  daysOff: z.array(z.string()).optional(),
});
const service = z.strictObject({
  projectId: id,
  name: z.string(),
  resourceIds: z.array(id),
  id: id.optional(),
  secondResourceIds: z.array(id).optional(),
  description: nullableText.optional(),
  bookingMode: z.enum(['fixed', 'interval']).optional(),
  durationMin: z.int().optional(),
  minDurationMin: z.int().optional(),
  maxDurationMin: z.int().optional(),
  durationStepMin: z.int().optional(),
  maxGuests: z.int().optional(),
  priceAmount: z.int().nullable().optional(),
  priceCurrency: nullableText.optional(),
  priceUnit: z.string().optional(),
  onlineBookable: z.boolean().optional(),
  bufferBeforeMin: z.int().optional(),
  bufferAfterMin: z.int().optional(),
  slotStepMin: z.int().optional(),
});
const contactParts = {
  firstName: nullableText.optional(),
  lastName: nullableText.optional(),
  email: nullableText.optional(),
  phone: nullableText.optional(),
  position: nullableText.optional(),
  lifecycle: z.string().optional(),
};
const contact = z.strictObject({
  projectId: id,
  name: z.string(),
  id: id.optional(),
  type: z.enum(['person', 'b2b_company']).optional(),
  source: z.string().optional(),
  ...contactParts,
});
const bookingParts = {
  serviceId: id,
  startsAt: moment,
  id: id.optional(),
  branchId: id.optional(),
  resourceId: id.optional(),
  durationMin: z.int().optional(),
  guests: z.int().optional(),
  contactId: id.optional(),
  customerName: z.string().optional(),
  customerPhone: z.string().optional(),
  customerEmail: z.string().optional(),
  conversationId: id.optional(),
  comment: z.string().optional(),
  notify: z.boolean().optional(),
};

type Action = (dashboard: Dashboard, fields: unknown) => unknown;

function action<S extends z.ZodType>(
  input: S,
  run: (dashboard: Dashboard, fields: Given<z.output<S>>) => unknown,
): Action {
  return (dashboard, fields) => run(dashboard, input.parse(fields) as Given<z.output<S>>);
}

/** A field that is missing in the JSON is absent, never present as undefined. */
type Given<T> = T extends object
  ? T extends readonly unknown[]
    ? { [K in keyof T]: Given<T[K]> }
    : { [K in keyof T]: undefined extends T[K] ? Given<Exclude<T[K], undefined>> : Given<T[K]> }
  : T;

export const dashboardActions: Readonly<Record<string, Action>> = {
  createProject: action(z.strictObject({ name: z.string(), id: id.optional() }), (dashboard, it) =>
    dashboard.createProject(it),
  ),
  deleteProject: action(byId, (dashboard, it) => dashboard.deleteProject(it.id)),
  createBranch: action(branch, (dashboard, it) => dashboard.createBranch(it)),
  createResource: action(resource, (dashboard, it) => dashboard.createResource(it)),
  createService: action(service, (dashboard, it) => dashboard.createService(it)),
  changeBranch: action(branch.partial().omit({ projectId: true }).extend({ id, active }), (dashboard, it) => {
    const { id: branchId, ...change } = it;
    dashboard.changeBranch(branchId, change);
  }),
  changeResource: action(
    resource.partial().omit({ branchId: true }).extend({ id, active }),
    (dashboard, it) => {
      const { id: resourceId, ...change } = it;
      dashboard.changeResource(resourceId, change);
    },
  ),
  changeService: action(
    service
      .pick({
        name: true,
        description: true,
        durationMin: true,
        priceAmount: true,
        resourceIds: true,
        secondResourceIds: true,
        bufferBeforeMin: true,
        bufferAfterMin: true,
        maxGuests: true,
      })
      .partial()
      .extend({ id, active }),
    (dashboard, { id: serviceId, ...change }) => dashboard.changeService(serviceId, change),
  ),
  setDistributionLifecycle: action(z.strictObject({ lifecycle: nullableText }), (dashboard, it) =>
    dashboard.setDistributionLifecycle(it.lifecycle),
  ),
  configureCallback: action(z.strictObject({ projectId: id, isOn: z.boolean() }), (dashboard, it) =>
    dashboard.leads.configureCallback(it.projectId, it.isOn),
  ),
  disconnectChannel: action(byId, (dashboard, it) => dashboard.chats.disconnectChannel(it.id)),
  switchOffService: action(byId, (dashboard, it) => dashboard.switchOffService(it.id)),
  switchAddOn: action(z.strictObject({ isOn: z.boolean() }), (dashboard, it) =>
    dashboard.switchAddOn(it.isOn),
  ),
  createContact: action(contact, (dashboard, it) => dashboard.createContact(it)),
  changeContact: action(
    z.strictObject({
      id,
      name: z.string().optional(),
      status: z.enum(['active', 'archived', 'blocked']).optional(),
      ...contactParts,
    }),
    (dashboard, { id: contactId, ...change }) => dashboard.changeContact(contactId, change),
  ),
  deleteContact: action(byId, (dashboard, it) => dashboard.deleteContact(it.id)),
  mergeContacts: action(z.strictObject({ survivorId: id, duplicateId: id }), (dashboard, it) =>
    dashboard.mergeContacts(it.survivorId, it.duplicateId),
  ),
  blockContact: action(byId, (dashboard, it) => dashboard.blockContact(it.id)),
  importContacts: action(z.strictObject({ contacts: z.array(contact) }), (dashboard, it) =>
    dashboard.importContacts(it.contacts),
  ),
  bookAs: action(
    z.strictObject({ source: z.string(), ...bookingParts }),
    (dashboard, { source, ...booking }) => dashboard.bookAs(source, booking),
  ),
  reschedule: action(
    z.strictObject({ id, startsAt: moment, resourceId: id.optional(), notify: z.boolean().optional() }),
    (dashboard, { id: appointmentId, ...move }) => dashboard.reschedule(appointmentId, move),
  ),
  cancel: action(
    z.strictObject({
      id,
      by: z.string().optional(),
      reason: z.string().optional(),
      notify: z.boolean().optional(),
    }),
    (dashboard, { id: appointmentId, ...options }) => dashboard.cancel(appointmentId, options),
  ),
  markAppointment: action(
    z.strictObject({ id, status: z.enum(['arrived', 'completed', 'no_show']) }),
    (dashboard, it) => dashboard.markAppointment(it.id, it.status),
  ),
  linkContact: action(z.strictObject({ appointmentId: id, contactId: id }), (dashboard, it) =>
    dashboard.linkContact(it.appointmentId, it.contactId),
  ),
  holdWaitlistPlace: action(
    z.strictObject({ ...bookingParts, confirmWithinMs: z.number().optional() }),
    (dashboard, it) => dashboard.holdWaitlistPlace(it),
  ),
  confirmWaitlistPlace: action(byId, (dashboard, it) => dashboard.confirmWaitlistPlace(it.id)),
  declineWaitlistPlace: action(byId, (dashboard, it) => dashboard.declineWaitlistPlace(it.id)),
  enableEndpoint: action(byId, (dashboard, it) => dashboard.enableEndpoint(it.id)),
  disableEndpoint: action(byId, (dashboard, it) => dashboard.disableEndpoint(it.id)),
  touch: action(byId, (dashboard, it) => dashboard.touch(it.id)),
  setUpdatedAt: action(z.strictObject({ id, rule: z.enum(['same', 'moves']).nullable() }), (dashboard, it) =>
    dashboard.setUpdatedAt(it.id, it.rule),
  ),
  customerWrites: action(
    z.strictObject({
      text: z.string(),
      conversationId: id.optional(),
      projectId: id.optional(),
      channel: z.string().optional(),
      customerName: z.string().optional(),
      attachments: z.array(z.string()).optional(),
    }),
    (dashboard, it) => dashboard.chats.customerWrites(it),
  ),
  replyToCustomer: action(
    z.strictObject({
      conversationId: id,
      text: z.string(),
      author: z.enum(['operator', 'ai']).optional(),
      status: z.enum(['pending', 'delivered', 'failed']).optional(),
      failureCode: failureCode.optional(),
    }),
    (dashboard, { conversationId, ...reply }) => dashboard.chats.reply(conversationId, reply),
  ),
  closeConversation: action(z.strictObject({ id, reason: z.string().optional() }), (dashboard, it) =>
    dashboard.chats.close(it.id, it.reason),
  ),
  reopenConversation: action(byId, (dashboard, it) => dashboard.chats.reopen(it.id)),
  escalateConversation: action(byId, (dashboard, it) => dashboard.chats.escalate(it.id)),
  snoozeConversation: action(byId, (dashboard, it) => dashboard.chats.snooze(it.id)),
  markSpam: action(byId, (dashboard, it) => dashboard.chats.markSpam(it.id)),
  archiveConversation: action(byId, (dashboard, it) => dashboard.chats.archive(it.id)),
  setMessageStatus: action(
    z.strictObject({
      id,
      status: z.enum(['delivered', 'failed', 'read']),
      failureCode: failureCode.optional(),
    }),
    (dashboard, it) => dashboard.chats.setMessageStatus(it.id, it.status, it.failureCode),
  ),
  finishLoading: action(byId, (dashboard, it) => dashboard.chats.finishLoading(it.id)),
  orderCallback: action(
    z.strictObject({
      projectId: id,
      phone: z.string(),
      name: z.string().optional(),
      source: z.string().optional(),
      id: id.optional(),
    }),
    (dashboard, it) => dashboard.leads.order(it),
  ),
  endCall: action(
    z.strictObject({
      id,
      outcome: z.enum(['completed', 'missed', 'cancelled', 'not_called']),
      durationSec: z.number().optional(),
      reason: z.string().optional(),
    }),
    (dashboard, { id: leadId, outcome, ...options }) => dashboard.leads.endCall(leadId, outcome, options),
  ),
  scheduleRepeat: action(byId, (dashboard, it) => dashboard.leads.scheduleRepeat(it.id)),
  redial: action(byId, (dashboard, it) => dashboard.leads.redial(it.id)),
  setAiOutcome: action(z.strictObject({ id, aiOutcome: z.string() }), (dashboard, it) =>
    dashboard.leads.setAiOutcome(it.id, it.aiOutcome),
  ),
  rateLead: action(z.strictObject({ id, rating: z.number() }), (dashboard, it) =>
    dashboard.leads.rate(it.id, it.rating),
  ),
  handleLead: action(byId, (dashboard, it) => dashboard.leads.handle(it.id)),
};
