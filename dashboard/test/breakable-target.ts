import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A target of monitors that can be broken and repaired. */
export interface BreakableTarget {
  url: string
  requestCount(): number
  setBroken(isBroken: boolean): void
  close(): Promise<void>
}

/** Listens on its own address, so that a backend can allow checks of this address and no other of the host. */
export async function startTarget(host: string): Promise<BreakableTarget> {
  let isBroken = false
  let requests = 0
  const server = createServer((_request, response) => {
    requests += 1
    response.writeHead(isBroken ? 503 : 200).end(isBroken ? 'away' : 'fine')
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/`,
    requestCount: () => requests,
    setBroken: (broken) => {
      isBroken = broken
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
