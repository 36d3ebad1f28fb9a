import { MASK } from '@vedette/shared'

/** A secret whose beginning is as long is masked as far as it goes: the text, or who wrote it, may have cut it. */
const BEGINNING = 48

const KEY =
  'password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|session[_-]?id|signature'
/** What looks like a secret wherever it comes from. Each is bounded, so that no text of a target makes one slow. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  [
    /(\b(?:proxy-)?authorization|\b(?:set-)?cookie2?|\bx-(?:api|auth)-[a-z-]{1,20})(["']?\s{0,5}[:=]\s{0,5}["']?)[^\r\n"'<]{1,4096}/gi,
    `$1$2${MASK}`,
  ],
  [
    new RegExp(
      `((?<![\\w-])[\\w-]{0,40}(?:${KEY})[\\w-]{0,40}(?:["']|&quot;)?\\s{0,5}[:=]\\s{0,5})(?:"[^"\\r\\n]{1,4096}"?|'[^'\\r\\n]{1,4096}'?|&quot;[^&\\r\\n]{1,4096}|[^\\s"'&,;<>(){}]{1,4096})`,
      'gi',
    ),
    `$1${MASK}`,
  ],
  // A word alone is none: `Basic authentication is required`.
  [
    /\b([Bb]earer|BEARER|[Bb]asic|BASIC|[Dd]igest|[Tt]oken)(\s{1,5})(?=[\w.~+/=-]{0,4096}?(?:[\d=_~+/]|[a-z][A-Z]))[\w.~+/=-]{8,4096}/g,
    `$1$2${MASK}`,
  ],
  [/\beyJ[\w-]{8,4096}\.[\w-]{1,4096}(?:\.[\w-]{0,4096})?/g, MASK],
  [
    /\b(?:vdt_(?:key|srv|prb|png|pky)_|whsec_|gh[pousr]_|github_pat_|glpat-|(?:sk|pk|rk)_(?:live|test)_|sk-|xox[abeprs]-|AKIA|AIza)[\w+/=-]{8,4096}/g,
    MASK,
  ],
  [/([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/gi, `$1${MASK}@`],
]

/** A text of somebody else without these secrets, however they are written, and without what looks like one. Pure. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  let masked = text
  for (const secret of formsOf(secrets)) masked = maskOne(masked, secret)
  for (const [pattern, instead] of PATTERNS) masked = masked.replaceAll(pattern, instead)
  return masked
}

function maskOne(text: string, secret: string): string {
  if (secret.length <= BEGINNING) return text.replaceAll(secret, MASK)
  const beginning = secret.slice(0, BEGINNING)
  let masked = ''
  let from = 0
  for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning, from)) {
    let length = BEGINNING
    while (length < secret.length && text[at + length] === secret[length]) length += 1
    masked += text.slice(from, at) + MASK
    from = at + length
  }
  return masked + text.slice(from)
}

/** As services write them back, the longest first: one may be a part of another. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
    secret.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character),
  ])
  return [...new Set(forms)].sort((one, other) => other.length - one.length)
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
