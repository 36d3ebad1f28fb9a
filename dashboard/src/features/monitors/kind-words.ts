import type { MonitorItem } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { clock, day, dayAndClock } from '../../lib/time.ts'
import { kindLabel } from '../../lib/kind-texts.ts'
import { kindFacts } from '../../messages/kind-facts.ts'

const text = kindFacts.words

/** What a list item has with `include=facts`. */
type Item = Pick<MonitorItem, 'type' | 'url' | 'facts' | 'certificate_expires_at' | 'next_ping'>
type Facts = NonNullable<MonitorItem['facts']>

/** Where a certificate is not what the monitor is about, it counts from here on. */
const SOON_DAYS = 30

const number = (value: Facts[string] | undefined): number | undefined => (typeof value === 'number' ? value : undefined)
const worded = <T>(value: T | undefined, words: (value: T) => string): string[] => (value === undefined ? [] : [words(value)])

const daysUntil = (until: string | null | undefined, nowMs: number): number | undefined =>
  until ? Math.floor((Date.parse(until) - nowMs) / DAY_MS) : undefined

const rows = ({ facts: { rows: found, cell } = {} }: Item): string[] =>
  found === undefined ? worded(cell, String) : worded(number(found), text.rows)

const serverOf = ({ facts = {} }: Item): string[] => worded(facts['server_version'], String)

/** One line a kind: what it knows first. A kind that is not here knows its response time. */
const WORDS: Readonly<Record<string, (item: Item, nowMs: number) => string[]>> = {
  icmp: ({ facts = {} }) => [
    ...worded(number(facts['packet_loss']), text.loss),
    ...worded(number(facts['rtt_avg_ms']), text.roundTrip),
  ],
  tls: ({ certificate_expires_at: until }, nowMs) => worded(daysUntil(until, nowMs), text.certificate),
  domain: ({ facts = {} }) => worded(number(facts['domain_expiry']), text.registered),
  dns: ({ facts = {} }) => [
    ...worded(facts['rcode'] === 'NOERROR' ? undefined : facts['rcode'], String),
    ...worded(number(facts['answer_count']), text.answers),
  ],
  postgres: rows,
  mysql: rows,
  redis: rows,
  ftp: ({ facts = {} }) => worded(number(facts['entries']), text.entries),
  mongodb: ({ facts = {} }) => worded(facts['role'], String),
  mqtt: rows,
  ntp: ({ facts = {} }) => worded(number(facts['offset_ms']), text.offset),
  radius: ({ facts = {} }) => worded(facts['reply'], String),
  ssh: ({ facts = {} }) => worded(facts['software'], String),
  grpc: ({ facts = {} }) => worded(facts['serving_status'], String),
  steps: ({ facts = {} }) => {
    const steps = Object.keys(facts).filter((name) => name.startsWith('step_')).length
    return worded(steps === 0 ? undefined : steps, text.steps)
  },
  snmp: ({ facts = {} }) =>
    Object.entries(facts)
      .slice(0, 2)
      .map(([name, value]) => `${name} ${value}`),
  sip: serverOf,
  rtsp: ({ facts = {} }) => worded(facts['media'] ?? facts['server_version'], String),
  ldap: ({ facts = {} }) => worded(facts['attribute'] ?? facts['entry'], String),
  upstream: ({ facts = {} }) =>
    worded(facts['impact'] === 'operational' ? undefined : (facts['incident'] ?? facts['impact']), String),
  heartbeat: ({ next_ping: next }, nowMs) => {
    if (!next) return []
    const expectedMs = Date.parse(next.expected_at)
    const when = day(expectedMs) === day(nowMs) ? clock(expectedMs) : dayAndClock(expectedMs)
    return [nowMs >= expectedMs ? text.late(when) : text.next(when)]
  },
}

/** What the kind of a monitor knows first, in its own words; empty before its first check. */
export function kindWords(item: Item, nowMs: number): string {
  const own = WORDS[item.type]?.(item, nowMs) ?? []
  const days = item.type === 'tls' ? undefined : daysUntil(item.certificate_expires_at, nowMs)
  return [...own, ...worded(days !== undefined && days < SOON_DAYS ? days : undefined, text.certificate)].join(' · ')
}

/** What is checked, without the schemes that only the API knows: `db:5432`, `www.example.com MX`; the kind where nothing is. */
export function targetText({ type, url, method }: Pick<MonitorItem, 'type' | 'url' | 'method'>): string {
  if (url === undefined) return kindLabel(type)
  if (/^(?:https?|wss?):/.test(url)) return method === undefined || method === 'GET' ? url : `${method} ${url}`
  const rest = url.replace(/^[a-z]+:\/\//, '').replace(/\/$/, '')
  if (type !== 'dns') return rest
  const [, resolver = '', name = '', record = ''] = /^([^/]*)\/(.*?)(?:\?type=(\w+))?$/.exec(rest) ?? []
  return [name, record, resolver === '' ? '' : `@${resolver}`].filter(Boolean).join(' ')
}
