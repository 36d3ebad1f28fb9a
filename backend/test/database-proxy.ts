import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

export interface DatabaseProxy {
  url: string
  /**
   * Open connections forward nothing any more and stay open, as behind a firewall that lost its state: the server does not hear that
   * the client closed either. New ones still work.
   */
  stall(): void
  /** The same for a connection whose client sends a statement with this text, which the server still gets; undefined ends it. */
  stallAt(text: string | undefined): void
  /** From now on new connections are accepted and forward nothing either. */
  stallNew(stalls: boolean): void
  /** Closes the open connections, and new ones at once while it is on. */
  cut(cuts: boolean): void
  /** Delays everything that the client sends by so many ms; 0 ends it. */
  slow(ms: number): void
  /** Statements, but not begin, commit and rollback, fail with this SQLSTATE; undefined ends it. */
  raise(sqlState: string | undefined): void
  /** Refuses new connections and closes the open ones. */
  close(): void
}

/** A TCP proxy in front of a database, which can fail as a network or a server does. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  const sockets = new Set<Socket>()
  const state: { stallsNew: boolean; stallsAt?: string | undefined; cuts: boolean; slowMs: number; raises?: string | undefined } =
    {
      stallsNew: false,
      slowMs: 0,
      cuts: false,
    }
  const stallSocket = (socket: Socket) =>
    void socket
      .removeAllListeners('data')
      .removeAllListeners('close')
      .on('close', () => sockets.delete(socket))
      .resume()
  const server = createServer((near) => {
    if (state.cuts) return void near.destroy()
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const socket of [near, far]) {
      sockets.add(socket.on('error', () => socket.destroy()))
      socket.on('close', () => sockets.delete(socket))
    }
    const forward = (bytes: Buffer, type: string) => {
      far.write(state.raises !== undefined && isFallible(bytes, type) ? raising(state.raises) : bytes)
      if (state.stallsAt === undefined || !bytes.includes(state.stallsAt)) return
      for (const socket of [near, far]) stallSocket(socket)
    }
    near
      .on(
        'data',
        delayed(() => state.slowMs, inGroups(forward)),
      )
      .on('close', () => far.destroy())
    far.on('data', (bytes) => near.write(bytes)).on('close', () => near.destroy())
    if (state.stallsNew) for (const socket of [near, far]) stallSocket(socket)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { username, password, pathname } = new URL(databaseUrl)
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    stall: () => {
      for (const socket of sockets) stallSocket(socket)
    },
    stallAt: (text) => void (state.stallsAt = text),
    stallNew: (stalls) => void (state.stallsNew = stalls),
    cut: (cuts) => {
      state.cuts = cuts
      destroyAll()
    },
    slow: (ms) => void (state.slowMs = ms),
    raise: (sqlState) => void (state.raises = sqlState),
    close: () => {
      server.close()
      destroyAll()
    },
  }
}

/** Passes each chunk on after `delayMs()`, in order. */
function delayed(delayMs: () => number, pass: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let waiting = 0
  return (chunk) => {
    const ms = delayMs()
    if (ms === 0 && waiting === 0) return pass(chunk)
    waiting += 1
    setTimeout(() => {
      waiting -= 1
      pass(chunk)
    }, ms)
  }
}

/** Parse, bind, describe, execute and close: the server answers them together, after the sync that ends them. */
const IN_GROUP = new Set(['P', 'B', 'D', 'E', 'C'])

/** Calls `forward` for each group of messages that the server answers together, with the type of the last. */
function inGroups(forward: (bytes: Buffer, type: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let group: Buffer[] = []
  let isFirst = true
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      // The first message has no type; a length counts itself.
      const typeBytes = isFirst ? 0 : 1
      const bytes = rest.length < typeBytes + 4 ? Infinity : typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < bytes) return
      const type = isFirst ? '' : String.fromCharCode(rest[0] as number)
      isFirst = false
      group.push(rest.subarray(0, bytes))
      rest = rest.subarray(bytes)
      if (IN_GROUP.has(type)) continue
      forward(Buffer.concat(group), type)
      group = []
    }
  }
}

const isFallible = (bytes: Buffer, type: string): boolean =>
  type === 'S' || (type === 'Q' && !/^(begin|start|commit|rollback)/i.test(bytes.toString('latin1', 5, 15)))

/** A simple query in the place of a group: the server keeps the state of the transaction. */
function raising(sqlState: string): Buffer {
  const text = `do $$ begin raise exception 'by the proxy' using errcode = '${sqlState}'; end $$\0`
  const head = Buffer.from('Q\0\0\0\0')
  head.writeInt32BE(text.length + 4, 1)
  return Buffer.concat([head, Buffer.from(text)])
}
