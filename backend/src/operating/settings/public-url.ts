/** The host that a client on this machine connects to: a wildcard address becomes loopback, IPv6 gets its brackets. */
export function connectableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** The base URL of links and of agents: the configured one, else the address that the backend listens on. */
export function publicUrl(
  { publicUrl, tls, host }: { publicUrl?: string | undefined; tls: unknown; host: string },
  port: number,
): string {
  return publicUrl ?? `${tls ? 'https' : 'http'}://${connectableHost(host)}:${port}`
}
