import type { DefinitionOf } from '@vedette/shared'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import { monotonicUs } from '../../../../../platform/time/monotonic.ts'
import { protocolFault } from '../conversation/check-fault.ts'
import { converseByDatagrams } from '../conversation/datagram.ts'
import type { CheckKind, ProbeFacts } from '../kind.ts'
import { targetOfUrl } from '../url-target.ts'
import { decodeReply, encodeRequest, offsetMs, type NtpReply } from './packets.ts'

type NtpCheck = DefinitionOf<'ntp'>

/** One exchange with a time server, as a client of RFC 5905. The own clock is compared, and not set. */
export const ntp: CheckKind<NtpCheck> = {
  type: 'ntp',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start({ url, timeout }, attempt, tools) {
    const startUs = monotonicUs()
    const nowMs = () => attempt.startedAtMs + (monotonicUs() - startUs) / 1_000
    converseByDatagrams(attempt, tools, { url, defaultPort: 123, timeout }, async (datagrams) => {
      // The server returns what the client sends as its time: a number that nobody can guess says nothing of the clock.
      const cookie = randomBytes(8)
      // Of the latest try: the reply to an earlier one would have another cookie.
      let sentMs = 0
      const request = () => {
        cookie.writeUInt32BE((cookie.readUInt32BE() + 1) >>> 0)
        sentMs = nowMs()
        return encodeRequest(cookie)
      }
      const { reply, receivedMs } = await datagrams.request(request, (bytes) => {
        const decoded = decodeReply(bytes, cookie)
        return decoded && { reply: decoded, receivedMs: nowMs() }
      })
      refuse(reply)
      report(reply, offsetMs(reply, sentMs, receivedMs), attempt.facts)
      return ''
    })
  },
}

const UNSYNCHRONIZED = 16
/** Codes with which a server refuses (RFC 5905, 7.4); with others it says that it has no time itself. */
const REFUSALS = new Set(['DENY', 'RSTR', 'RATE'])

function refuse({ stratum, leap, reference, transmitted }: NtpReply): void {
  if (stratum === 0 && REFUSALS.has(reference)) throw protocolFault(`the server refused the request (${reference})`)
  if (stratum === 0 || stratum >= UNSYNCHRONIZED || leap === 'unknown')
    throw protocolFault('the server says that its own clock is not synchronized')
  if (transmitted.isZero) throw protocolFault('the server sent no time')
}

const rounded = (ms: number): number => Math.round(ms * 1_000) / 1_000

function report(reply: NtpReply, offset: number, facts: ProbeFacts): void {
  const { stratum, rootDelayMs, rootDispersionMs, reference, leap } = reply
  Object.assign(facts.figures, {
    offset_ms: rounded(offset),
    stratum,
    root_delay_ms: rounded(rootDelayMs),
    root_dispersion_ms: rounded(rootDispersionMs),
    reference,
    leap,
  })
  facts.statusLine = `stratum ${stratum}, offset ${rounded(offset)} ms`
}
