// From which machine a request comes. A proxy on this machine connects from loopback, and is known by the headers that it adds.
import type { IncomingMessage } from 'node:http';

/** Headers that proxies, tunnels and content networks add to what they forward, besides `X-Forwarded-…`. */
const ADDED_BY_PROXIES = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-original-host',
  'true-client-ip',
  'cdn-loop',
  'cf-connecting-ip',
];
const LOOPBACK = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/;

type Request = Pick<IncomingMessage, 'headers'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress' | 'localAddress'>;
};

/** True if a proxy that adds any of the usual headers has passed the request on. */
export function isForwarded({ headers }: Pick<Request, 'headers'>): boolean {
  return (
    ADDED_BY_PROXIES.some((name) => headers[name] !== undefined) ||
    Object.keys(headers).some((name) => name.startsWith('x-forwarded-'))
  );
}

/** True for a direct request over loopback. */
export function isFromLoopback(request: Request): boolean {
  return LOOPBACK.test(request.socket.remoteAddress ?? '') && !isForwarded(request);
}

/** The same, and also over another address of this machine. */
export function isFromThisMachine(request: Request): boolean {
  const { remoteAddress, localAddress } = request.socket;
  const isOwnAddress = remoteAddress !== undefined && remoteAddress === localAddress;
  return isFromLoopback(request) || (isOwnAddress && !isForwarded(request));
}
