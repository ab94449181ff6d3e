import type { Section } from '../../report/section.ts';
import { ADVICE, NOT_SHOWN, SILENT } from './reasons.ts';

export const deliveries: Section = {
  title: 'Deliveries',
  prefix: 'deliveries',
  rules: [
    ['1', 'an event is sent to every enabled endpoint that subscribes to its type'],
    ['2', 'an endpoint gets only events of its projects'],
    ['3', 'the body is the event, the same as the feed shows'],
    ['4', 'redeliveries carry the same event id'],
    ['5', 'the snapshot is taken 1 to 3 seconds after the change'],
    ['6', 'order is not guaranteed; an event may come twice', ADVICE],
    ['7', 'a request is repeated until it is answered 2xx'],
    ['8', 'number and schedule of retries', NOT_SHOWN],
    ['9', 'an endpoint without a 2xx for 72 hours is disabled as `failing`'],
    ['10', 'one 2xx within the 72 hours keeps it enabled'],
    ['11', '`Service-Signature` holds one `v1` signature per active secret'],
    ['12', 'while a rolled secret is valid there are two signatures, the old one among them'],
    ['13', 'rolled with 0 hours the old secret stops at once'],
    ['14', 'after its hours the old secret stops'],
    ['15', 'the signature computation and any timestamp', NOT_SHOWN],
    ['16', 'method, content type and other headers', NOT_SHOWN],
    ['17', 'deleting an endpoint cancels its pending retries'],
    ['18', 'what was missed while disabled is not re-sent'],
    ['19', 'a body above 256 KB is reduced to `object` and `id`'],
    [
      '20',
      'attachment links in events are valid 10 minutes from sending',
      'how long a link works is known to the file server only',
    ],
    ['21', 'an unknown type is to be skipped and answered 2xx', ADVICE],
    ['22', 'the event’s order by sending or by change', SILENT],
    ['23', 'a disabled endpoint gets nothing'],
    ['24', 'an event has every field of the table, and `test` is false'],
  ],
};
