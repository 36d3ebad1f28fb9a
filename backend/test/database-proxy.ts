import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

export interface DatabaseProxy {
  url: string
  /** Open connections forward nothing any more and stay open, as behind a firewall that lost its state. New ones still work. */
  stall(): void
  /** From now on new connections are accepted and forward nothing either. */
  stallNew(stalls: boolean): void
  /** Refuses new connections and closes the open ones. */
  close(): void
}

/** A TCP proxy in front of a database, which can fail as a network does. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  const sockets = new Set<Socket>()
  let stallsNew = false
  const stallSocket = (socket: Socket) => void socket.removeAllListeners('data').resume()
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => socket.destroy()))
    near.on('data', (bytes) => far.write(bytes)).on('close', () => far.destroy())
    far.on('data', (bytes) => near.write(bytes)).on('close', () => near.destroy())
    if (stallsNew) for (const socket of [near, far]) stallSocket(socket)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { username, password, pathname } = new URL(databaseUrl)
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    stall: () => {
      for (const socket of sockets) stallSocket(socket)
    },
    stallNew: (stalls) => {
      stallsNew = stalls
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
