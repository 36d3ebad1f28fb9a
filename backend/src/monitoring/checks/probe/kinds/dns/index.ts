import { type DefinitionOf, DNS_RECORD_TYPES, type DnsQuestion, dnsQuestionOf, truncateText } from '@vedette/shared'
import { MAX_FACT_LENGTH } from '@vedette/shared/checks/limits'
import { randomBytes } from '../../../../../platform/crypto/random.ts'
import type { Resolved } from '../../connect/connector.ts'
import type { Fault } from '../../phases/fault.ts'
import type { Attempt, CheckKind, ProbeTools } from '../kind.ts'
import { NO_HOST, targetOfUrl } from '../url-target.ts'
import { answerFault, questionFault } from './inside.ts'
import {
  answersOf,
  decodeAnswer,
  type DnsAnswer,
  encodeQuery,
  type Question,
  questionOfTry,
  rcodeName,
  refusesEdns,
} from './message.ts'
import { queryByStream } from './stream.ts'
import { queryByUdp, type Server } from './udp.ts'

type Definition = DefinitionOf<'dns'>
const PORTS = { udp: 53, tcp: 53, tls: 853 } as const

/** One query and its answer. */
interface Run {
  definition: Definition
  attempt: Attempt
  tools: ProbeTools
  requested: DnsQuestion
  question: Question
  servers: readonly Server[]
  /** Names the server in its certificate. */
  host: string
  /** The server is one of the system's, at an address that is closed to checks. */
  isInside: boolean
}

export const dns: CheckKind<Definition> = {
  type: 'dns',
  // Checks of different names may query one server at once: its limit would make healthy names wait for others.
  hostOf: ({ url }) => `${URL.parse(url)?.hostname ?? ''} ${URL.parse(url)?.pathname ?? ''}`,
  start(definition, attempt, tools) {
    const url = new URL(definition.url)
    const requested = dnsQuestionOf(url)
    if ('fault' in requested) return attempt.fail({ code: 'dns', message: `the URL ${requested.fault}` })
    const { transport, recursion } = definition.options
    const question = { ...randomized(requested.name), type: DNS_RECORD_TYPES[requested.type], recursion, hasEdns: true }
    const parts = { definition, attempt, tools, requested, question }
    if (url.hostname === '') return querySystem(parts)
    const target = targetOfUrl(definition.url, PORTS[transport])
    if (!target) return attempt.fail(NO_HOST)
    const proceed = attempt.safely((resolved: Resolved | Fault) => {
      if ('code' in resolved) return attempt.fail(resolved)
      const servers = resolved.addresses.map((address) => ({ address, port: resolved.port }))
      query({ ...parts, servers, host: target.host, isInside: false })
    })
    let stopLookUp = () => {}
    // Held first: of an address `proceed` is called at once, and what it holds must stay held.
    attempt.hold(() => stopLookUp())
    stopLookUp = tools.connector.resolve(target, attempt.timeline, proceed)
  },
}

/** The name servers of the system may be private: every check by name uses them. */
function querySystem(parts: Omit<Run, 'servers' | 'host' | 'isInside'>): void {
  const { definition, attempt, tools, requested } = parts
  const { transport } = definition.options
  const servers = tools.names.servers().map((text) => serverOf(text, transport))
  const [first] = servers
  if (!first) return attempt.fail({ code: 'internal', message: 'this machine has no name server' })
  const isInside = servers.some(({ address }) => tools.guard.addressFault(address) !== undefined)
  const fault = isInside ? questionFault(requested, tools.guard) : undefined
  if (fault !== undefined) return attempt.fail({ code: 'blocked', message: fault })
  query({ ...parts, servers, host: first.address, isInside })
}

/** `address`, `address:port` or `[address]:port`. */
function serverOf(text: string, transport: keyof typeof PORTS): Server {
  const [, address = text, port] =
    /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(text.includes(']') || text.split(':').length === 2 ? text : `[${text}]`) ?? []
  return { address, port: port === undefined || transport === 'tls' ? PORTS[transport] : Number(port) }
}

/** An id and a case of letters that nobody can guess who does not see the query (draft-vixie-dnsext-dns0x20). */
function randomized(name: string): { id: number; name: string } {
  const random = randomBytes(2 + name.length)
  const mixed = name.replaceAll(/[a-z]/g, (letter, index: number) =>
    ((random[2 + index] ?? 0) & 1) === 1 ? letter.toUpperCase() : letter,
  )
  return { id: random.readUInt16BE(), name: mixed }
}

function query(run: Run): void {
  const { definition, attempt, question, servers } = run
  if (definition.options.transport !== 'udp') return queryStream(run)
  attempt.facts.address = servers[0]?.address ?? null
  const queryOf = (tries: number) => encodeQuery(questionOfTry(question, tries))
  const cancel = queryByUdp(servers, queryOf, attempt.timeline, run.tools, {
    message: attempt.safely((bytes: Buffer, server: Server) => {
      if (refusesEdns(bytes, question)) {
        attempt.timeline.endByEvent()
        cancel()
        return query(withoutEdns({ ...run, servers: [server] }))
      }
      const answer = decode(run, bytes)
      if (!answer) return
      attempt.timeline.endByEvent()
      cancel()
      attempt.facts.address = server.address
      if ('code' in answer) attempt.fail(answer)
      // An answer that is cut, or may be someone else's, comes again over TCP.
      else if (answer.isTruncated || !answer.isSameCase) queryStream({ ...run, servers: [server] })
      else finish(run, answer)
    }),
    fault: (fault) => attempt.fail(fault),
  })
  attempt.hold(cancel)
}

const withoutEdns = (run: Run): Run => ({ ...run, question: { ...run.question, hasEdns: false } })

const OTHER_QUESTION: Fault = { code: 'protocol', message: 'the answer is for another question' }

function queryStream(run: Run): void {
  const { definition, attempt, question, servers, host, tools } = run
  const { transport, verify_tls } = definition.options
  const tls = transport === 'tls' ? { host, verify: verify_tls } : undefined
  queryByStream({ servers, tls }, encodeQuery(question), attempt, tools, (bytes) => {
    if (refusesEdns(bytes, question)) return queryStream(withoutEdns(run))
    const answer = decode(run, bytes) ?? OTHER_QUESTION
    if ('code' in answer) attempt.fail(answer)
    else finish(run, answer)
  })
}

function decode({ question }: Run, bytes: Buffer): DnsAnswer | Fault | undefined {
  try {
    return decodeAnswer(bytes, question)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { code: 'protocol', message: 'the answer is malformed' }
  }
}

function finish({ definition, attempt, tools, requested, question, isInside }: Run, answer: DnsAnswer): void {
  const { facts } = attempt
  const fault = isInside ? answerFault(answer.records, tools.guard) : undefined
  if (fault !== undefined) return attempt.fail({ code: 'blocked', message: fault })
  const rcode = rcodeName(answer.rcode)
  const answers = answersOf(answer.records, requested.name, question.type).toSorted((left, right) =>
    left.value < right.value ? -1 : 1,
  )
  const [first] = answers
  Object.assign(facts.figures, {
    rcode,
    answer_count: answers.length,
    values: truncateText(answers.map(({ value }) => value).join(', '), MAX_FACT_LENGTH),
    authenticated: String(answer.isAuthenticated),
    ...(first && { ttl: Math.min(...answers.map(({ ttl }) => ttl)) }),
    ...(first?.serial !== undefined && { soa_serial: first.serial }),
  })
  facts.statusLine = `${rcode}, ${answers.length === 1 ? '1 answer' : `${answers.length} answers`}`
  const isUp = answer.rcode === 0 && answers.length > 0
  if (definition.assertions.length === 0 && !isUp)
    return attempt.fail({ code: 'dns', message: `${facts.statusLine} (expected NOERROR and an answer)` })
  const lines = answers.map(({ ttl, value }) => `${requested.name} ${ttl} ${requested.type} ${value}`)
  attempt.answer({ headers: new Map(), body: Buffer.from(lines.join('\n')) })
}
