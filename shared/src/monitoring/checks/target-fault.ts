import { MAIL_PORTS } from './limits.ts'

/** An IPv6 address with its zone, in brackets or not; the parser refuses it without a word. */
const ZONE = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?\[?[0-9a-f]{0,4}(?::[0-9a-f.]*){2,8}%/i

/** Why no check reaches the target of a URL, if that is certain. `isMail`: of a kind that speaks to mail servers. Pure. */
export function targetFault(text: string, isMail = false): string | undefined {
  if (ZONE.test(text))
    return 'must not contain the zone of an IPv6 address, such as %eth0: checks reach addresses without a zone alone'
  const port = URL.parse(text)?.port ?? ''
  if (isMail || !MAIL_PORTS.has(Number(port))) return undefined
  return `must not have port ${port}: mail ports are open to checks of type smtp alone`
}
