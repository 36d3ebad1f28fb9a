import type { CheckKindSpec } from '@vedette/shared'
import { closeConnection } from '../probe/connect/connection.ts'
import type { CheckKind } from '../probe/kinds/kind.ts'

/** The description of a further kind: what a server says first on a TCP connection is the text that assertions look at. */
export const greetingSpec: CheckKindSpec = {
  label: 'Greeting',
  description: 'Reads what a server says first.',
  protocols: ['greeting:'],
  example: 'greeting://mail.example.com:4190',
  options: { most: { label: 'Most characters', form: 'number', minimum: 1, maximum: 1_000, unit: 'characters', default: 100 } },
  credentials: { password: { label: 'Password', maxLength: 100 } },
  observes: ['text'],
  facts: { length: { label: 'Length', operators: ['less_than', 'greater_than'], valueKinds: ['number'], unit: 'characters' } },
  faults: ({ url }) => (url.port === '' ? [{ path: 'url', message: 'must contain a port' }] : []),
}

interface Greeting {
  type: 'greeting'
  url: string
  options: { most: number }
  credentials: { password?: string }
}

/** Its check. */
export const greeting: CheckKind<Greeting> = {
  type: 'greeting',
  hostOf: ({ url }) => new URL(url).hostname,
  start({ url, options }, attempt, { connector }) {
    const { hostname, port } = new URL(url)
    const connected = attempt.safely((outcome: Parameters<Parameters<typeof connector.connect>[2]>[0]) => {
      if ('code' in outcome) return attempt.fail(outcome)
      attempt.facts.address = outcome.address
      attempt.hold(() => closeConnection(outcome))
      attempt.timeline.begin('firstByte')
      outcome.onBytes = (bytes) => {
        attempt.timeline.endByEvent()
        const body = Buffer.from(bytes.subarray(0, options.most))
        attempt.facts.figures['length'] = body.length
        attempt.answer({ headers: new Map(), body })
      }
      outcome.onEnd = () => attempt.fail({ code: 'protocol', message: 'the connection was closed without a word' })
    })
    attempt.hold(connector.connect({ host: hostname, port: Number(port), plain: true }, attempt.timeline, connected))
  },
}
