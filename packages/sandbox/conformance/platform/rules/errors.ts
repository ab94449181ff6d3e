import type { Section } from '../../report/section.ts';
import { ADVICE, NOT_SHOWN, SILENT } from './reasons.ts';

export const errors: Section = {
  title: 'Errors and versioning',
  prefix: 'errors',
  rules: [
    ['1', 'a refusal is JSON in the RFC 7807 form: `type`, `title`, `status`, `detail`'],
    ['2', 'the last part of `type` is the error code'],
    ['3', '`status` in the body is the HTTP status'],
    ['4', '`request_id` in the body is the `Request-Id` header'],
    ['5', '`errors` is on 422 only, an object from field name to array of messages'],
    ['6', '`code` is on appointment errors only: the code with underscores'],
    ['7', 'a body that cannot be read gives 400 `bad-request`'],
    ['8', 'an unsupported method gives 405 `http`'],
    ['9', 'a path below a known one that does not exist gives 404 or 403'],
    ['10', 'validation names every field that is wrong'],
    [
      '11',
      '500 `internal` and 503 `unavailable`',
      'no request provokes them; the sandbox’s faults show them to clients',
    ],
    ['12', 'a 5xx body may be in another format', ADVICE],
    ['13', '409 `conflict`', 'the document names no action that gives it'],
    ['14', 'unknown codes are decided by `status`', ADVICE],
    ['15', 'which of 403 and 404 an unknown path gives', SILENT],
    ['16', 'successes are JSON too'],
    ['17', 'the detail of an error is English', 'a language is not asserted'],
    ['18', 'the version is the path segment `/v1`'],
    ['19', 'the policy for breaking changes', NOT_SHOWN],
    ['20', 'growing lists are to be tolerated', ADVICE],
    ['21', 'ids are UUID strings'],
    ['22', 'times in answers are ISO 8601 in UTC'],
    ['23', 'times in requests carry an offset, and mean the same moment in every zone'],
    ['24', 'what the first release offered', 'history; what it offered is shown by the sections'],
  ],
};
