import type { X509Certificate } from 'node:crypto'
import { invalid } from '../../../platform/errors.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { createCertificateReader, type FetchCertificate } from './certificate.ts'
import { type VerifiedMessage, verifySnsMessage } from './verify.ts'

/** A message is refused by its age after an hour: until then the last ones are known. */
const MAX_KNOWN = 10_000

export interface SnsReader {
  /** Throws validation_error for what SNS did not sign, and for a message that the source has taken. */
  verify(sourceId: string, body: unknown): Promise<VerifiedMessage>
  /** Once what the message says is stored: one that is not may be sent again. */
  remember(sourceId: string, message: VerifiedMessage): void
}

/**
 * Verifies messages of Amazon SNS. What was taken is known to this process alone: to another one a message that is sent again is an alert
 * that is open already, and one that somebody recorded can open it again within the hour at most.
 */
export function createSnsReader({ hosts, fetch, clock }: { hosts: string; fetch: FetchCertificate; clock: Clock }): SnsReader {
  const readCertificate: (url: string) => Promise<X509Certificate> = createCertificateReader({ fetch, clock })
  const known = new Set<string>()
  const nameOf = (sourceId: string, { messageId }: VerifiedMessage) => JSON.stringify([sourceId, messageId])
  return {
    async verify(sourceId, body) {
      const message = await verifySnsMessage({ hosts, readCertificate }, body, clock.now())
      if (known.has(nameOf(sourceId, message))) throw invalid({ path: 'MessageId', message: 'was taken already' })
      return message
    },
    remember(sourceId, message) {
      known.add(nameOf(sourceId, message))
      for (const oldest of known) if (known.size > MAX_KNOWN) known.delete(oldest)
    },
  }
}
