import type { Certificate } from '@vedette/shared'
import { DAY_MS } from '@vedette/shared/tables'
import { certificates as text } from '../../messages/certificates.ts'

/** Automatic renewal happens a month ahead; what is left two weeks before the end needs a person. */
const SOON_DAYS = 14
const LATER_DAYS = 30

export interface DaysLeft {
  /** A status whose mark and colours it has. */
  status: 'critical' | 'warning' | 'up'
  label: string
}

/** How long a certificate lasts, as a colour and as words. Pure. */
export function daysLeft(endsAt: string, nowMs: number): DaysLeft {
  const leftMs = Date.parse(endsAt) - nowMs
  const days = Math.floor(leftMs / DAY_MS)
  if (leftMs < 0) return { status: 'critical', label: text.expired }
  const label = days === 0 ? text.today : text.left(days)
  return { status: days < SOON_DAYS ? 'critical' : days < LATER_DAYS ? 'warning' : 'up', label }
}

/** What the API says in English, in the language of the page; as it is where it has another form. Pure. */
export function weakText(weak: string): string {
  const [, what = weak, intermediate] = /^(.*?)(?: of the intermediate (.*))?$/s.exec(weak) ?? []
  const [, type, bits] = /^(\S+) key of (\d+) bits$/.exec(what) ?? []
  const [, hash] = /^signature with (\S+)$/.exec(what) ?? []
  const own = type && bits ? text.weakKey(type, bits) : hash ? text.weakSignature(hash) : what
  return intermediate === undefined ? own : text.ofIntermediate(own, intermediate)
}

/** `RSA 2048`; a dash where it is not known. Pure. */
export const keyText = ({ key_type: type, key_bits: bits }: Pick<Certificate, 'key_type' | 'key_bits'>): string =>
  type === null ? '–' : [type.toUpperCase(), bits ?? ''].join(' ').trim()

/** Whether an intermediate ends before the certificate itself. */
export const endsByChain = ({ ends_at: endsAt, not_after: notAfter }: Certificate): boolean =>
  Date.parse(endsAt) < Date.parse(notAfter)
