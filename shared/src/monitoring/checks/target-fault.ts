import { MAIL_PORTS } from './limits.ts'

/** Why no check reaches the target of a URL, if that is certain. `isMail`: of a kind that speaks to mail servers. Pure. */
export function targetFault(text: string, isMail = false): string | undefined {
  const port = URL.parse(text)?.port ?? ''
  if (isMail || !MAIL_PORTS.has(Number(port))) return undefined
  return `must not have port ${port}: mail ports are open to checks of type smtp alone`
}
