import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Passwords } from './passwords.ts'

export const SUPERUSER = 'postgres'
export const APPLICATION_ROLE = 'vedette'
export const APPLICATION_DATABASE = 'vedette'

// Only the name of a file when the host is a folder.
const SOCKET_PORT = 5432
// sun_path holds 104 bytes on macOS and 108 on Linux, the closing zero included.
const LONGEST_SOCKET_PATH = 103

/** Where Postgres listens. A host that begins with `/` is the folder of a Unix socket, as for `pg` and libpq. */
export interface Endpoint {
  host: string
  port: number
}

/**
 * A socket in a folder that only the service account and root can enter: no other user of the machine can reach it, nor, while
 * Postgres is down, take its port and ask our pool for the password. Loopback where no socket can be made there: too long a path,
 * a shared folder of a virtual machine. The loopback port is free now, not for sure a moment later: ask again when a start fails.
 */
export async function chooseEndpoint(sockets: string): Promise<Endpoint> {
  const socket = { host: sockets, port: SOCKET_PORT }
  const isShort = Buffer.byteLength(join(sockets, `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST_SOCKET_PATH
  if (isShort && (await listenOnce(join(sockets, '.probe'))) !== undefined) return socket
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('no port is free on 127.0.0.1')
  return { host: '127.0.0.1', port }
}

/** The switches that make Postgres listen there and nowhere else. */
export function listenSwitches(endpoint: Endpoint): string[] {
  const isSocket = endpoint.host.startsWith('/')
  // A list of folders: quoted, or a comma in the path would part it.
  const sockets = isSocket ? `"${endpoint.host.replaceAll('"', '""')}"` : ''
  const settings = [
    `listen_addresses=${isSocket ? '' : endpoint.host}`,
    `unix_socket_directories=${sockets}`,
    'unix_socket_permissions=0700',
    `port=${endpoint.port}`,
  ]
  return settings.flatMap((setting) => ['-c', setting])
}

/** For the application's role, which owns the database and may make others, but is no superuser. */
export function applicationUrl(endpoint: Endpoint, passwords: Passwords): string {
  const credentials = `${APPLICATION_ROLE}:${encodeURIComponent(passwords.application)}`
  if (!endpoint.host.startsWith('/')) {
    return `postgres://${credentials}@${endpoint.host}:${endpoint.port}/${APPLICATION_DATABASE}`
  }
  return `postgres://${credentials}@localhost:${endpoint.port}/${APPLICATION_DATABASE}?host=${encodeURIComponent(endpoint.host)}`
}

/** Listens for a moment. The port, 0 for a path; undefined when it cannot be done. */
function listenOnce(where: string | 0): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    const listening = () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      server.close(() => resolve(port))
    }
    if (where === 0) server.listen(0, '127.0.0.1', listening)
    else server.listen(where, listening)
  })
}
