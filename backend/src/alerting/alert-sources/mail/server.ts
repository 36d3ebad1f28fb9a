import { createServer, type Socket } from 'node:net'
import type { Log } from '../../../platform/logging/log.ts'
import { createConversation, type Deliver } from './conversation.ts'
import { linesOf } from './lines.ts'

const MAX_CONNECTIONS = 50
/** RFC 5321 has clients wait for five minutes; the mail server in front is on this host. */
const IDLE_MS = 300_000

/** Where VEDETTE_INBOUND_MAIL listens: a port of this host, or a socket in the file system. */
export type MailAddress = { host: string; port: number } | { path: string }

/** `lmtp://127.0.0.1:2424` or `lmtp:///run/vedette/lmtp.sock`, as the setting's pattern lets it through. */
export function mailAddressOf(setting: string): MailAddress {
  const [, host = '', port = ''] = /^lmtp:\/\/([^/]+):(\d+)$/.exec(setting) ?? []
  if (host === '') return { path: setting.replace(/^lmtp:\/\//, '') }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

export interface MailServer {
  /** The port; 0 for a path. */
  port: number
  /** Ends all connections. A mail that has no reply yet is sent again by its server. */
  close(): Promise<void>
}

/** Listens for mails by LMTP. There is no login: who reaches the address needs the token of a source. Rejects where it cannot listen. */
export async function startMailServer(
  { deliver, log }: { deliver: Deliver; log: Log },
  address: MailAddress,
): Promise<MailServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    void converse(socket, deliver).catch((error: unknown) => {
      log.debug({ error: String(error) }, 'a connection of the mail server in front was lost')
      socket.destroy()
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen('path' in address ? address.path : { host: address.host, port: address.port }, resolve)
  })
  const listening = server.address()
  return {
    port: typeof listening === 'object' && listening ? listening.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** One piece after another: a client that sends on while an alert is stored waits. */
async function converse(socket: Socket, deliver: Deliver): Promise<void> {
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  const reply = createConversation({ deliver })
  socket.write('220 vedette LMTP\r\n')
  // Not destroyed with the loop: the last reply is still to be sent.
  for await (const piece of linesOf(socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)) {
    const replies = await reply(piece)
    for (const line of replies) socket.write(`${line}\r\n`)
    if (replies.some((line) => /^[24]21/.test(line))) break
  }
  socket.end(() => socket.destroy())
}
