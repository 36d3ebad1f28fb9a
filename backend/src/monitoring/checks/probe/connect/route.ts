import {
  type CheckDefinition,
  familyOf,
  type HostPort,
  type NetworkOptions,
  parseHostPort,
  parseProxyUrl,
  type ProxyUrl,
} from '@vedette/shared'

/** How the connections of a check reach their targets, by the network options of its definition. */
export interface Route {
  /** Of the target: the only one that is used. */
  family: 4 | 6 | undefined
  /** Where connections to the host of the definition's URL go instead. */
  redirect: { from: HostPort; to: HostPort } | undefined
  /** The address of this machine that connections leave by. */
  source: { address: string; family: 4 | 6 } | undefined
  proxy: Proxy | undefined
}

export interface Proxy extends ProxyUrl {
  password: string
  /** It gets the name of a target instead of an address. */
  resolves: boolean
}

/** Without any of the options. */
export const DIRECT: Route = { family: undefined, redirect: undefined, source: undefined, proxy: undefined }

const ROUTE_OPTIONS = ['connect_to', 'ip_family', 'source_address', 'dns_servers', 'proxy_url', 'proxy_resolves'] as const

/** What distinguishes checks that may get other answers of the same URL; empty without any of the options. */
export function routeKeyOf(options: NetworkOptions): string {
  const given = ROUTE_OPTIONS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]))
  return given.length === 0 ? '' : JSON.stringify(given)
}

/** The options are valid; `target` is that of the URL. */
export function routeOf(
  { options, credentials }: Pick<CheckDefinition, 'options' | 'credentials'>,
  target: HostPort | undefined,
): Route {
  const { connect_to: to, ip_family: family, source_address: source, proxy_url: url, proxy_resolves: resolves } = options
  const redirect = to === undefined ? undefined : parseHostPort(to)
  const sourceFamily = source === undefined ? undefined : familyOf(source)
  const proxy = url === undefined ? undefined : parseProxyUrl(url)
  return {
    family: family === 'ipv4' ? 4 : family === 'ipv6' ? 6 : undefined,
    redirect: redirect && target && { from: target, to: redirect },
    source: source === undefined || sourceFamily === undefined ? undefined : { address: source, family: sourceFamily },
    proxy:
      proxy === undefined || 'fault' in proxy
        ? undefined
        : { ...proxy, password: credentials.proxy_password ?? '', resolves: resolves === true },
  }
}

/**
 * The target in place of this one. With a port the redirection is for the host and port of the URL alone, without one for each port of
 * its host.
 */
export function redirected({ redirect }: Route, host: string, port: number): { host: string; port: number } {
  if (!redirect) return { host, port }
  const { from, to } = redirect
  const isFrom =
    host.toLowerCase() === from.host.toLowerCase() && (to.port === undefined || from.port === undefined || from.port === port)
  return isFrom ? { host: to.host, port: to.port ?? port } : { host, port }
}
