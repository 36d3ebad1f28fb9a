import type { Certificate } from '@vedette/shared'
import { certificates as text } from '../../messages/certificates.ts'

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
