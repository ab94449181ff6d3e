/** Advice that several codes share. */
export const NEXT_EN = {
  nothing: 'Nothing to do: it ends by itself.',
  done: 'Nothing to do.',
  wait: 'Wait until it works again, then retry. The cause ends without action.',
  retry: 'Retry it. If it fails again, read its story with `slotbridge explain`.',
  defect: 'Report it as a bug in slotbridge, with the log line `object not mirrored`. Then retry.',
  rights: 'Check the rights and projects of the API key: both are fixed when a key is created. Then retry.',
  author: 'The author has the answer where the booking was written: correct it there.',
  platform: 'Make the change on the platform.',
  refused:
    'The platform refused the request with its own code. Check the object in its dashboard. If that does not explain it, report the Request-Id to its support. Then retry.',
} as const;
