/** Where connections of a definition lead in place of its URL or on the way there: what is sent goes through them. Pure. */
export function routeDestinations(given: Readonly<Record<string, unknown>>): string[] {
  const { connect_to: to, proxy_url: proxy, dns_servers: servers } = given
  return [
    ...(typeof to === 'string' ? [`to ${to.toLowerCase()}`] : []),
    ...(typeof proxy === 'string' ? [proxyDestination(proxy)] : []),
    ...(Array.isArray(servers) ? servers.map((server) => `by ${String(server)}`) : []),
  ]
}

/** Without its user, whose password it gets. Pure. */
export const proxyDestination = (text: string): string => text.toLowerCase().replace(/\/\/[^/]*@/, '//')
