import type { DefinitionOf } from '@vedette/shared'
import { toTimestamp } from '@vedette/shared'
import type { Evaluation } from '../../../evaluation/index.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import { hostOf } from '../../http/request.ts'
import type { Fault } from '../../phases/fault.ts'
import { readable } from '../conversation/readable.ts'
import { visit } from '../http/visit.ts'
import { type Attempt, type CheckKind, noFacts, type ProbeTools } from '../kind.ts'
import { readDocument } from './formats.ts'
import { type FoundPage, KeptPages } from './kept-pages.ts'
import { type Level, LEVELS, type Reading, outcomeOf } from './reading.ts'

type Definition = DefinitionOf<'upstream'>

/** Where pages have what a program reads, in the order of the tries. The page itself is last: it may be a feed. */
const PLACES = [
  'api/v2/summary.json',
  'summary.json',
  'index.json',
  'api/v1/components',
  'api/v2.0.0/current',
  'incidents.json',
  'history.atom',
  'feed',
  'rss/all.rss',
  '',
] as const
/** Of Instatus, whose summary names no components. */
const COMPONENTS_PLACE = 'v2/components.json'
/** Of a URL that is such a document. */
const DOCUMENT = /\.(?:json|rss|atom|xml)$|\/(?:feed|rss)\/?$/

/** The state that a provider publishes of itself. What cannot be read says nothing of the provider: the check is inconclusive. */
export function createUpstreamKind(kept = new KeptPages()): CheckKind<Definition> {
  return {
    type: 'upstream',
    readsElsewhere: true,
    hostOf: ({ url }) => hostOf(new URL(url)),
    start(definition, attempt, tools) {
      const { url } = definition
      // Another route may lead to another page, and organizations share what is kept.
      const key = `${url} ${definition.options.verify_tls} ${tools.routeKey}`
      const known = kept.find(key, attempt.startedAtMs)
      const places = [...new Set([...(known ? [known.place] : []), ...(DOCUMENT.test(new URL(url).pathname) ? [''] : PLACES)])]
      const found = (page: FoundPage, isSure: boolean) => {
        if (isSure) kept.keep(key, page, attempt.startedAtMs)
        else kept.remove(key)
        finish(definition, attempt, page.reading)
      }
      tryPlaces({ definition, attempt, tools, known }, places, found)
    },
  }
}

export const upstream = createUpstreamKind()

interface Search {
  definition: Definition
  attempt: Attempt
  tools: ProbeTools
  known: FoundPage | undefined
}

/** Whether the page does not answer now: what another place says may be less than what this one will say. */
const isFailing = (statusCode: number): boolean => statusCode === 429 || statusCode >= 500

const failing = (statusCode: number): Fault => ({ code: 'protocol', message: `the page answered with status ${statusCode}` })

/** `isSure`: no place before this one failed, so that the next checks may begin with what is found. */
function tryPlaces(
  search: Search,
  [place, ...others]: readonly string[],
  found: (page: FoundPage, isSure: boolean) => void,
  isSure = true,
): void {
  const { attempt, definition, known } = search
  if (place === undefined)
    return attempt.fail({ code: 'protocol', message: 'the page has no status in a form that is understood' })
  const etag = known?.place === place ? known.etag : undefined
  request(search, place, etag, (outcome) => {
    // A host that is not reached has no other document either.
    if ('code' in outcome) return attempt.fail(outcome)
    if (outcome.statusCode === 304 && known) return found(known, isSure)
    if (isFailing(outcome.statusCode) && known?.place === place) return attempt.fail(failing(outcome.statusCode))
    const reading = outcome.statusCode === 200 ? readDocument(outcome.body.toString(), attempt.startedAtMs) : undefined
    if (!reading) return tryPlaces(search, others, found, isSure && !isFailing(outcome.statusCode))
    const page = { place, etag: outcome.headers.get('etag'), reading }
    const isWithoutComponents = reading.isComplete && reading.components.length === 0 && definition.options.components.length > 0
    if (!isWithoutComponents) return found(page, isSure)
    request(search, COMPONENTS_PLACE, undefined, (second) => {
      if ('code' in second) return attempt.fail(second)
      if (isFailing(second.statusCode)) return attempt.fail(failing(second.statusCode))
      const more = second.statusCode === 200 ? readDocument(second.body.toString(), attempt.startedAtMs) : undefined
      // Its tag is that of the first document alone, which may stay while a component changes.
      found({ place, etag: undefined, reading: { ...reading, components: more?.components ?? [] } }, isSure)
    })
  })
}

function request(
  { definition: { url, options }, attempt, tools }: Search,
  place: string,
  etag: string | undefined,
  done: (outcome: HttpAnswer | Fault) => void,
): void {
  const facts = noFacts()
  visit({
    attempt,
    tools,
    request: {
      url: urlOf(url, place),
      method: 'GET',
      headers: {
        Accept: 'application/json, application/atom+xml, application/rss+xml;q=0.9, */*;q=0.5',
        ...(etag !== undefined && { 'If-None-Match': etag }),
      },
      body: undefined,
    },
    followsRedirects: true,
    verifiesTls: options.verify_tls,
    network: options,
    facts,
    done: attempt.safely((outcome: HttpAnswer | Fault) => {
      attempt.facts.address = facts.address
      attempt.facts.certificate = facts.certificate
      done(outcome)
    }),
  })
}

/** A page may be in a folder: `https://example.com/status/shop`. */
function urlOf(page: string, place: string): URL {
  const url = new URL(page)
  if (place === '') return url
  return new URL(`${url.pathname.replace(/\/?$/, '/')}${place}`, url.origin)
}

const REPORTED: Readonly<Record<Exclude<Level, 'operational' | 'maintenance'>, string>> = {
  degraded: 'degraded performance',
  partial_outage: 'a partial outage',
  major_outage: 'a major outage',
}
const MAX_NAMES = 3

function finish({ options }: Definition, attempt: Attempt, reading: Reading): void {
  const outcome = outcomeOf(reading, options.components)
  if ('missing' in outcome)
    return attempt.fail({ code: 'protocol', message: `the page has no component ${readable(outcome.missing.join(', '))}` })
  const { level, affected, incident } = outcome
  const updatedAt = incident?.updatedAt ?? reading.updatedAt
  attempt.facts.figures = {
    impact: level,
    ...(incident && { incident: readable(incident.name, 300) }),
    ...(updatedAt !== undefined && { updated_at: toTimestamp(Date.parse(updatedAt)) }),
    ...(reading.components.length > 0 && { components: componentsText(reading) }),
  }
  attempt.facts.statusLine = level
  attempt.answer({ headers: new Map(), body: Buffer.from(incident?.name ?? '') }, evaluationOf(level, affected))
}

/** The worst ones first. */
const componentsText = ({ components }: Reading): string =>
  readable(
    components
      .toSorted((one, other) => LEVELS.indexOf(other.level) - LEVELS.indexOf(one.level))
      .slice(0, 50)
      .map(({ name, level }) => (level === 'operational' ? name : `${name} (${level})`))
      .join(', '),
    300,
  )

/** Maintenance was announced: it is no failure, and the fact `impact` says it. */
function evaluationOf(level: Level, affected: readonly string[]): Evaluation | undefined {
  if (level === 'operational' || level === 'maintenance') return undefined
  const names = readable([...affected.slice(0, MAX_NAMES), ...(affected.length > MAX_NAMES ? ['…'] : [])].join(', '))
  const message = `the provider reports ${REPORTED[level]}${names === '' ? '' : `: ${names}`}`
  return { outcome: level === 'major_outage' ? 'down' : 'degraded', error: { code: 'status', message } }
}
