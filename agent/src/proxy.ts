/** The proxy variables that many programs share, by their upper-case names. */
export interface ProxyVariables {
  HTTP_PROXY?: string
  HTTPS_PROXY?: string
  NO_PROXY?: string
}

/** From an environment; lower-case names go before upper-case ones, as with curl. Undefined when no proxy is named. */
export function readProxyVariables(variables: Record<string, string | undefined>): ProxyVariables | undefined {
  const value = (name: string) => variables[name.toLowerCase()] || variables[name] || undefined
  const [http, https, none] = [value('HTTP_PROXY'), value('HTTPS_PROXY'), value('NO_PROXY')]
  if (http === undefined && https === undefined) return undefined
  return {
    ...(http !== undefined && { HTTP_PROXY: http }),
    ...(https !== undefined && { HTTPS_PROXY: https }),
    ...(none !== undefined && { NO_PROXY: none }),
  }
}

/** A proxy elsewhere cannot reach the loopback of this host. */
export function withoutLoopback(proxy: ProxyVariables): ProxyVariables {
  const loopback = 'localhost,127.0.0.1,::1,[::1]'
  return { ...proxy, NO_PROXY: proxy.NO_PROXY ? `${proxy.NO_PROXY},${loopback}` : loopback }
}

/** A proxy's address without the name and password that may be in it. */
export function withoutPassword(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.protocol}//${url.host}` : 'an address that is no URL'
}
