/** The usual proxy variables, by their upper-case names. */
export interface ProxyVariables {
  HTTP_PROXY?: string
  HTTPS_PROXY?: string
  NO_PROXY?: string
}

/** Reads an environment; lower-case names override upper-case ones, as in curl. Undefined without a proxy. */
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

/** Adds the loopback to NO_PROXY: a proxy on another host cannot reach it. */
export function withoutLoopback(proxy: ProxyVariables): ProxyVariables {
  const loopback = 'localhost,127.0.0.1,::1,[::1]'
  return { ...proxy, NO_PROXY: proxy.NO_PROXY ? `${proxy.NO_PROXY},${loopback}` : loopback }
}

/** The address of a proxy without user name and password. */
export function withoutPassword(address: string): string {
  const url = URL.parse(address)
  return url ? `${url.protocol}//${url.host}` : 'an address that is no URL'
}
