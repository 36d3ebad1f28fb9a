import { DAY_MS, type DefinitionOf, toTimestamp, truncateText } from '@vedette/shared'
import { MAX_FACT_LENGTH } from '@vedette/shared/checks/limits'
import { systemClock } from '../../../../../platform/time/clock.ts'
import { after } from '../../../../../platform/time/monotonic.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import { visit } from '../http/visit.ts'
import type { Fault } from '../../phases/fault.ts'
import { type Attempt, type CheckKind, noFacts, type ProbeTools } from '../kind.ts'
import { NO_HOST, targetOfUrl } from '../url-target.ts'
import { rdapServerOf } from './bootstrap.ts'
import { parseRdap, parseReferral, parseWhois, type RegistryAnswer } from './registration.ts'
import { queryWhois, type WhoisServer } from './whois.ts'

type Definition = DefinitionOf<'domain'>

/** Where registries are found. */
export interface Registries {
  /** The base URL of a domain's RDAP server. */
  rdapServerOf(name: string): string | undefined
  /** Names the WHOIS server of every top-level domain. */
  root: WhoisServer
  /** Of the servers that it names. */
  whoisPort: number
}

const IANA: Registries = { rdapServerOf, root: { host: 'whois.iana.org', port: 43 }, whoisPort: 43 }
const MAX_KEPT = 2_000

/** What a registry answered, with its text. */
interface RegistryReply {
  answer: RegistryAnswer
  text: string
}

/** The registration of a domain by RDAP, else by WHOIS. */
export function createDomainKind(registries: Registries): CheckKind<Definition> {
  /** By top-level domain. */
  const whoisServers = new Map<string, string>()
  return {
    type: 'domain',
    readsElsewhere: true,
    hostOf: ({ url }) => targetOfUrl(url, 0)?.host ?? '',
    start(definition, attempt, tools) {
      const name = targetOfUrl(definition.url, 0)?.host
      if (name === undefined) return attempt.fail(NO_HOST)
      const before = { ...attempt.timeline.us }
      byRdap(definition, name, registries.rdapServerOf(name), attempt, tools, (byRdapReply) => {
        if (byRdapReply && byRdapReply.answer !== 'unregistered' && byRdapReply.answer.expiresAtMs !== undefined)
          return finish(definition, attempt, byRdapReply)
        attempt.timeline.rewind(before)
        byWhois(name, registries, tools.routeKey === '' ? whoisServers : new Map(), attempt, tools, (found) => {
          // A registry whose RDAP publishes no date may have no WHOIS.
          const best = 'code' in found ? byRdapReply : found
          if (best) finish(definition, attempt, best)
          else attempt.fail(found as Fault)
        })
      })
    },
  }
}

export const domain = createDomainKind(IANA)

/** Undefined without an answer within half of the timeout: WHOIS needs the rest. */
function byRdap(
  { timeout }: Definition,
  name: string,
  server: string | undefined,
  attempt: Attempt,
  tools: ProbeTools,
  done: (found: RegistryReply | undefined) => void,
): void {
  if (server === undefined) return done(undefined)
  let release = () => {}
  let isOver = false
  const stop = () => {
    isOver = true
    alarm.cancel()
    release()
  }
  const end = attempt.safely((found: RegistryReply | undefined) => {
    if (isOver) return
    stop()
    done(found)
  })
  const alarm = after(timeout * 500, () => end(undefined), { isKeptAlive: true })
  const hold = (next: () => void) => {
    if (isOver) next()
    else release = next
  }
  attempt.hold(stop)
  const facts = noFacts()
  visit({
    attempt: { ...attempt, hold },
    tools,
    request: {
      url: new URL(`${server.replace(/\/$/, '')}/domain/${name}`),
      method: 'GET',
      headers: { Accept: 'application/rdap+json' },
      body: undefined,
    },
    followsRedirects: true,
    network: {},
    verifiesTls: true,
    facts,
    done: (outcome: HttpAnswer | Fault) => {
      attempt.facts.address = facts.address
      end('code' in outcome ? undefined : readRdap(outcome.statusCode, outcome.body.toString(), name))
    },
  })
}

function readRdap(statusCode: number, text: string, name: string): RegistryReply | undefined {
  // A page of HTML is not of the RDAP server.
  if (statusCode === 404) return /^\s*</.test(text) ? undefined : { answer: 'unregistered', text }
  const answer = statusCode === 200 ? parseRdap(text, name) : undefined
  return answer && { answer, text }
}

function byWhois(
  name: string,
  { root, whoisPort }: Registries,
  kept: Map<string, string>,
  attempt: Attempt,
  tools: ProbeTools,
  done: (outcome: RegistryReply | Fault) => void,
): void {
  const top = name.slice(name.lastIndexOf('.') + 1)
  const query = (host: string) =>
    queryWhois(targetOfUrl(`whois://${host}`, whoisPort) ?? root, name, attempt, tools, (outcome) => {
      if ('code' in outcome) return done(outcome)
      const answer = parseWhois(outcome.text)
      if (answer) done({ answer, text: outcome.text })
      else done({ code: 'protocol', message: `the registry of .${top} refused, or gave no answer that is understood` })
    })
  const host = kept.get(top)
  if (host !== undefined) return query(host)
  queryWhois(root, top, attempt, tools, (outcome) => {
    if ('code' in outcome) return done(outcome)
    const found = parseReferral(outcome.text)
    if (found === undefined) return done({ code: 'protocol', message: `no registry of .${top} is known` })
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(top, found)
    query(found)
  })
}

function finish({ assertions }: Definition, attempt: Attempt, { answer, text }: RegistryReply): void {
  const { facts } = attempt
  const said = { headers: new Map(), body: Buffer.from(text) }
  const down = (message: string) => attempt.answer(said, { outcome: 'down', error: { code: 'dns', message } })
  if (answer === 'unregistered') return down('the domain is not registered')
  const { expiresAtMs, registrar } = answer
  const until = expiresAtMs === undefined ? undefined : toTimestamp(expiresAtMs)
  const daysLeft = expiresAtMs === undefined ? undefined : Math.floor((expiresAtMs - systemClock.now()) / DAY_MS)
  facts.figures = {
    ...(daysLeft !== undefined && { domain_expiry: daysLeft }),
    ...(until !== undefined && { expires_at: until }),
    ...(registrar !== undefined && { registrar: truncateText(registrar, MAX_FACT_LENGTH) }),
  }
  facts.statusLine = until === undefined ? 'registered' : `registered until ${until}`
  if (assertions.length === 0 && daysLeft !== undefined && daysLeft < 0)
    return down(`the registration of the domain ended at ${until}`)
  attempt.answer(said)
}
