import { connect } from 'node:net'

/** Resolves when a connection to `host:port` has come about, which is closed at once. Rejects when it does not, or is given up. */
export function assertTcpReachable(target: string, signal: AbortSignal): Promise<void> {
  const colon = target.lastIndexOf(':')
  const host = target.slice(0, colon).replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(target.slice(colon + 1)), signal })
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}
