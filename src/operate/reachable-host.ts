/**
 * The host under which a program on this machine asks a server that listens at `host`. A server that listens everywhere is asked at loopback:
 * it answers to no address that means all of them.
 */
export function reachableHost(host: string): string {
  const isEverywhere = /^[0.:]+$/.test(host);
  if (host.includes(':')) return isEverywhere ? '[::1]' : `[${host}]`;
  return isEverywhere ? '127.0.0.1' : host;
}
