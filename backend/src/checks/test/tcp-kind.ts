import { closeConnection } from '../probe/connect/connection.ts'
import type { CheckKind } from '../probe/kinds/kind.ts'

/** All that a further kind is: what a server says first on a TCP connection is the body that assertions speak of. */
export const tcp: CheckKind<{ type: 'tcp'; url: string }> = {
  type: 'tcp',
  protocols: ['tcp:'],
  hostOf: ({ url }) => new URL(url).hostname,
  start({ url }, attempt, { connector }) {
    const { hostname, port } = new URL(url)
    const connected = attempt.safely((outcome: Parameters<Parameters<typeof connector.connect>[2]>[0]) => {
      if ('code' in outcome) return attempt.fail(outcome)
      attempt.facts.address = outcome.address
      attempt.hold(() => closeConnection(outcome))
      attempt.timeline.begin('firstByte')
      outcome.onBytes = (bytes) => {
        attempt.timeline.endByEvent()
        attempt.answer({ headers: new Map(), body: Buffer.from(bytes) })
      }
      outcome.onEnd = () => attempt.fail({ code: 'protocol', message: 'the connection was closed without a word' })
    })
    attempt.hold(connector.connect({ host: hostname, port: Number(port), plain: true }, attempt.timeline, connected))
  },
}
