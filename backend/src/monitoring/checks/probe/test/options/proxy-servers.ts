import { freePort } from '../../../../../../../scripts/test-tools.ts'
import { idsOf, makeServerFolder, type Server, startServer } from '../servers.ts'

export const PROXY_USER = 'ada'
export const PROXY_PASSWORD = 'secret-of-the-proxy'

export interface ProxyServer extends Server {
  /** `host:port`. */
  at: string
}

/** CONNECT over HTTP, with Basic. */
export async function startTinyproxy(isClosed: boolean): Promise<ProxyServer> {
  const port = await freePort()
  const lines = [
    `Port ${port}`,
    'Listen 127.0.0.1',
    'Timeout 10',
    'LogLevel Info',
    ...(isClosed ? [`BasicAuth ${PROXY_USER} ${PROXY_PASSWORD}`] : []),
  ]
  const ids = idsOf('tinyproxy')
  const folder = makeServerFolder({ 'tinyproxy.conf': `${lines.join('\n')}\n` }, ids)
  const server = await startServer(['tinyproxy', '-d', '-c', 'tinyproxy.conf'], { folder, port, ids })
  return { ...server, at: `127.0.0.1:${port}` }
}

/** SOCKS5 of RFC 1928 and the login of RFC 1929. */
export async function startMicrosocks(isClosed: boolean): Promise<ProxyServer> {
  const port = await freePort()
  const login = isClosed ? ['-u', PROXY_USER, '-P', PROXY_PASSWORD] : []
  const folder = makeServerFolder()
  const server = await startServer(['microsocks', '-i', '127.0.0.1', '-p', String(port), ...login], { folder, port })
  return { ...server, at: `127.0.0.1:${port}` }
}
