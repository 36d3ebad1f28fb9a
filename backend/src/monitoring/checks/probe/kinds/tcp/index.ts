import { counted, type DefinitionOf, needsText } from '@vedette/shared'
import { NO_HOST, targetOfUrl } from '../url-target.ts'
import { closeConnection, type Connection } from '../../connect/connection.ts'
import { createBodyBuffer } from '../../http/body.ts'
import { codeOf, type Fault } from '../../phases/fault.ts'
import type { Attempt, CheckKind } from '../kind.ts'
import { bytesOfText } from './escapes.ts'

type Definition = DefinitionOf<'tcp'>

/** A connection, and optionally what arrives over it. */
export const tcp: CheckKind<Definition> = {
  type: 'tcp',
  hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
  start(definition, attempt, { connector }) {
    const target = targetOfUrl(definition.url, 0)
    if (!target) return attempt.fail(NO_HOST)
    const proceed = attempt.safely((outcome: Connection | Fault) => {
      if ('code' in outcome) return attempt.fail(outcome)
      attempt.facts.address = outcome.address
      attempt.hold(() => closeConnection(outcome))
      converse(definition, attempt, outcome)
    })
    attempt.hold(connector.connect({ ...target, plain: true }, attempt.timeline, proceed))
  },
}

const MAX_ANSWER_BYTES = 65_536
const LINE_BREAK = Buffer.from('\n')
const NO_HEADERS = new Map<string, string>()

/** Without `expect`, assertions of what arrives see its first line. */
function converse({ options, assertions }: Definition, attempt: Attempt, connection: Connection): void {
  const { timeline, facts } = attempt
  const wanted = bytesOfText(options.expect)
  const finish = (body: Buffer) => attempt.answer({ headers: NO_HEADERS, body })
  if (options.send !== '') connection.socket.write(bytesOfText(options.send))
  const isReading = wanted.length > 0 || needsText(assertions)
  if (!isReading) return finish(Buffer.alloc(0))
  const awaited = wanted.length > 0 ? wanted : LINE_BREAK
  const received = createBodyBuffer()
  const end = (how: string) => {
    timeline.endByEvent()
    if (wanted.length === 0 && received.length > 0) return finish(received.bytes())
    attempt.fail({ code: 'protocol', message: counted`the expected text did not arrive: ${how} after ${received.length} bytes` })
  }
  connection.onBytes = attempt.safely((bytes: Buffer) => {
    const before = received.length
    received.add(bytes, 0, Math.min(bytes.length, MAX_ANSWER_BYTES - before))
    if (before === 0) timeline.passByEvent('transfer')
    if (before < MAX_STATUS_LINE) facts.statusLine = firstLine(received.bytes())
    if (received.bytes().includes(awaited, Math.max(0, before - awaited.length + 1))) {
      if (before === 0) timeline.endAtOnce()
      else timeline.endByEvent()
      finish(received.bytes())
    } else if (received.length >= MAX_ANSWER_BYTES) end('the limit of 64 KiB was reached')
  })
  connection.onEnd = attempt.safely(() => end('the connection was closed'))
  connection.onError = attempt.safely((error: Error) => end(`the connection failed (${codeOf(error) || error.message})`))
  timeline.begin('firstByte')
}

/** Of the excerpt in the evidence, in bytes. */
const MAX_STATUS_LINE = 200

const firstLine = (bytes: Buffer): string => /^[^\r\n]*/.exec(bytes.toString('utf8', 0, MAX_STATUS_LINE))?.[0] ?? ''
