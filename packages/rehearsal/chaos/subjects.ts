import type { Subject, Wire } from './ledger.ts';
import type { Stage } from './stage.ts';

/** A number of Moscow that nobody else has, made of the name of the act that uses it. */
export function newPhone(name: string): string {
  const kind = 'AWRPX'.indexOf(name.charAt(0)) + 1;
  return `+7495${kind}${name.slice(1).padStart(6, '0')}`;
}

/** As people write it. */
export function spoken(phone: string): string {
  return `8 ${phone.slice(2, 5)} ${phone.slice(5, 8)}-${phone.slice(8, 10)}-${phone.slice(10)}`;
}

/** The appointment of a booking as it is now, the live one first. */
export function appointmentOf(stage: Stage, subject: Subject): Wire | undefined {
  const { truth } = stage.platform;
  if (subject.appointmentId !== undefined) return truth.appointment(subject.appointmentId);
  const contacts = new Map(truth.contacts().map((each) => [each['id'], each['phone']]));
  const own = truth
    .appointments()
    .filter(
      (each) => (each['customer_phone'] ?? contacts.get(each['contact_id'] as string)) === subject.phone,
    );
  return own.find(({ status }) => status !== 'cancelled') ?? own[0];
}
