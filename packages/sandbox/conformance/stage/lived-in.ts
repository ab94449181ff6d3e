/** A sandbox with some data of every kind, for tests that only read. */
import { inject } from 'vitest';
import { NOBODYS_PHONE } from './company.ts';
import { openStage, type Stage } from './stage.ts';

const CONTACTS = 45;
const LIFECYCLES = ['lead', 'mql', 'sql', 'customer', 'churned'];
let opened: Promise<Stage> | undefined;

/** One sandbox for all reading tests of a file, because they change nothing. */
export function livedIn(): Promise<Stage> {
  opened ??= moveIn();
  return opened;
}

async function moveIn(): Promise<Stage> {
  const stage = await openStage(inject('landlord'), { forFile: true });
  await stage.subscribe();
  await stage.endpoint({ enabled_events: ['appointment.created'], description: 'second' });
  await haveContacts(stage);
  await haveAppointments(stage);
  await haveChats(stage);
  await stage.staff('orderCallback', { projectId: stage.ownProjectId, phone: NOBODYS_PHONE });
  return stage;
}

async function haveContacts(stage: Stage): Promise<void> {
  const contacts = Array.from({ length: CONTACTS }, (_, index) => ({
    projectId: stage.ownProjectId,
    name: `Contact ${index}`,
    phone: `+4477009${String(10_000 + index)}`,
    email: `contact${index}@example.com`,
    lifecycle: LIFECYCLES[index % LIFECYCLES.length],
  }));
  await stage.staff('importContacts', { contacts });
  await stage.contact({ phone: NOBODYS_PHONE, metadata: { crm: 7 } });
  await stage.staff('createContact', { projectId: stage.ownProjectId, name: 'By hand' });
}

async function haveAppointments(stage: Stage): Promise<void> {
  for (const hour of [10, 11, 12, 13]) await stage.book({ starts_at: stage.at(hour) });
  const { body } = await stage.book({ starts_at: stage.at(15) });
  await stage.api.post(`/appointments/${body.id}/cancel`, { reason: 'ill' });
  const marked = await stage.book({ starts_at: stage.at(16) });
  await stage.staff('markAppointment', { id: marked.body.id, status: 'completed' });
}

async function haveChats(stage: Stage): Promise<void> {
  const web = await stage.staff('customerWrites', { text: 'Hello', channel: 'web', attachments: ['a.png'] });
  await stage.staff('replyToCustomer', {
    conversationId: web.conversationId,
    text: 'Hi',
    status: 'delivered',
  });
  await stage.staff('replyToCustomer', { conversationId: web.conversationId, text: '?', status: 'failed' });
  const mail = await stage.staff('customerWrites', { text: 'Question', channel: 'email' });
  await stage.staff('closeConversation', { id: mail.conversationId });
}
