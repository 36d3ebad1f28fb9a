const MAX_TOKENS = 100
const MAX_HEAD_BYTES = 65_536
/** The mailbox has a name of its own: `anything+vdt_in_…@`. */
const ADDRESS = /\+(vdt_in_[\w-]{8,112})@/g
const RECIPIENTS = /^(to|cc|delivered-to|x-original-to|envelope-to|x-envelope-to):/i

/** The tokens to which a mail was sent, as its headers say: a mailbox does not have the envelope. Pure. */
export function tokensOf(mail: Buffer): string[] {
  const text = mail.subarray(0, MAX_HEAD_BYTES).toString('latin1')
  const end = /\r?\n\r?\n/.exec(text)
  const lines = (end ? text.slice(0, end.index) : text).replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const named = lines
    .filter((line) => RECIPIENTS.test(line))
    .flatMap((line) => [...line.matchAll(ADDRESS)].map(([, token]) => token))
  return [...new Set(named as string[])].slice(0, MAX_TOKENS)
}
