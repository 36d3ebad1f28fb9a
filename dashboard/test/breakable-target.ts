import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Something to be monitored, which can be broken and mended. */
export interface BreakableTarget {
  url: string
  /** How often it was asked. */
  asked(): number
  set(isBroken: boolean): void
  close(): Promise<void>
}

/** Listens on an address of its own, so that a backend can be told to let checks reach that and no other of this host. */
export async function startTarget(host: string): Promise<BreakableTarget> {
  let isBroken = false
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.writeHead(isBroken ? 503 : 200).end(isBroken ? 'away' : 'fine')
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/`,
    asked: () => asked,
    set: (broken) => {
      isBroken = broken
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
