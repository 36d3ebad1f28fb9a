import { type CheckDefinition, familyOf, type HostPort, parseHostPort, parseProxyUrl, truncateText } from '@vedette/shared'
import type { AddressGuard } from './address/guard.ts'
import { createConnector } from './connect/connector.ts'
import { routeKeyOf, routeOf } from './connect/route.ts'
import type { ProbeTools } from './kinds/kind.ts'
import { targetOfUrl } from './kinds/url-target.ts'
import { createNameResolver, type NameResolver } from './names/lookup.ts'
import type { Fault } from './phases/fault.ts'
import type { TlsLayer } from './tls/handshake.ts'

/** Resolvers are kept: making one reads the configuration of the system. */
const MAX_RESOLVERS = 200

export interface RouteTools {
  /**
   * The tools of one check: the same for each that has no network option, and for others with what the options change. A fault where
   * the address rules refuse what an option leads to.
   */
  of(definition: CheckDefinition): ProbeTools | Fault
}

export function createRouteTools(base: ProbeTools): RouteTools {
  const resolvers = new Map<string, NameResolver>()

  function namesOf(servers: readonly string[]): NameResolver {
    const key = servers.join(' ')
    const existing = resolvers.get(key)
    if (existing) return existing
    // The hosts file is this machine's, and not what these servers say.
    const names = createNameResolver({ dnsServers: servers, searchDomains: [], hostsFile: null })
    if (resolvers.size >= MAX_RESOLVERS) resolvers.clear()
    resolvers.set(key, names)
    return names
  }

  return {
    of(definition) {
      const { options } = definition
      const alpn = options.alpn ?? []
      const routeKey = routeKeyOf(options)
      if (routeKey === '' && alpn.length === 0) return base
      const tls = alpn.length === 0 ? base.tls : offering(base.tls, alpn)
      if (routeKey === '') return { ...base, tls }
      const refused = refusalOf(definition, base.guard)
      if (refused !== undefined) return { code: 'blocked', message: refused }
      const unfit = unfitOption(definition)
      if (unfit !== undefined) return { code: 'internal', message: `this probe does not understand the option ${unfit}` }
      const servers = (options.dns_servers ?? []).map(withPort)
      const names = servers.length === 0 ? base.names : namesOf(servers)
      const route = routeOf(definition, hostPortOf(definition.url))
      return { ...base, tls, names, route, routeKey, connector: createConnector(base.guard, names, route) }
    },
  }
}

/** Of those that follow redirects to other ports. Other kinds have one port, and the others of their hosts are not theirs. */
const DEFAULT_PORTS: Readonly<Partial<Record<string, number>>> = { 'http:': 80, 'https:': 443 }

function hostPortOf(url: string): HostPort | undefined {
  const target = targetOfUrl(url, 0)
  if (!target) return undefined
  return { host: target.host, port: target.port === 0 ? DEFAULT_PORTS[new URL(url).protocol] : target.port }
}

/** Of requests over HTTP, whose targets may leave the choice open. */
const HTTP_1 = 'http/1.1'

/** A TLS layer that offers these protocols; a target must choose one. */
function offering(layer: TlsLayer, alpn: readonly string[]): TlsLayer {
  return {
    start: (connection, options, timeline, done) =>
      layer.start(connection, { ...options, alpn }, timeline, (outcome) => {
        if ('fault' in outcome || typeof outcome.socket.alpnProtocol === 'string' || alpn.includes(HTTP_1)) return done(outcome)
        const message = `the target chose none of the protocols that were offered (ALPN: ${truncateText(alpn.join(', '), 100)})`
        done({ fault: { code: 'tls', message }, certificate: outcome.certificate })
      }),
  }
}

/** As c-ares and the DNS kind take it. */
function withPort(server: string): string {
  const { host = server, port = 53 } = parseHostPort(server) ?? {}
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A newer backend may allow what this probe does not know: a check that ignored it would be another check. */
function unfitOption({ options }: CheckDefinition): string | undefined {
  const { connect_to: to, proxy_url: url, source_address: source } = options
  if (to !== undefined && parseHostPort(to) === undefined) return 'connect_to'
  if (url !== undefined && 'fault' in parseProxyUrl(url)) return 'proxy_url'
  return source !== undefined && familyOf(source) === undefined ? 'source_address' : undefined
}

/** Why the guard refuses an address that an option names. Those of hosts are checked where they are connected to. */
function refusalOf({ options }: CheckDefinition, guard: AddressGuard): string | undefined {
  const { source_address: source, dns_servers: servers = [], proxy_resolves: resolves } = options
  const sourceFault = source === undefined ? undefined : guard.addressFault(source)
  if (sourceFault !== undefined) return `the source address: ${sourceFault}`
  for (const server of servers) {
    const { host = server, port = 53 } = parseHostPort(server) ?? {}
    const fault = guard.portFault(port) ?? guard.addressFault(host)
    if (fault !== undefined) return `a name server: ${fault}`
  }
  return resolves === true && !guard.arePrivateTargetsOpen
    ? 'the proxy must not resolve names (proxy_resolves): private targets are not open to checks here'
    : undefined
}
