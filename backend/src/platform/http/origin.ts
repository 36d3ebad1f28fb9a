import type { FastifyReply, FastifyRequest } from 'fastify'

/** Where a request came from, and whether its client still waits. */
export function originOf(
  { ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>,
  { raw }: Pick<FastifyReply, 'raw'>,
): { ip: string; userAgent: string; signal: AbortSignal } {
  // The request's own signal may abort as soon as its body was read.
  const closing = new AbortController()
  if (raw.destroyed) closing.abort()
  else raw.once('close', () => closing.abort())
  return { ip, userAgent: headers['user-agent'] ?? '', signal: closing.signal }
}
