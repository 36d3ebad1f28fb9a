import type { PingKind } from './state.ts'

/** What the address of a ping says, or the answer that it gets unread. */
export type ParsedPing =
  | {
      /** A token, or a ping key in front of a slug. */
      secret: string
      slug: string | null
      kind: PingKind
      exitCode: number | null
      rid: string | null
      creates: boolean
      /** Answered with 400 if the monitor exists. */
      fault?: 'invalid url format' | 'invalid uuid format'
    }
  | { status: 400 | 404; text: string }

const NAME = /^[A-Za-z0-9_-]{1,128}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const NOT_FOUND = { status: 404, text: 'not found' } as const

/** The address of a ping by the pinging API of Healthchecks: what follows `/ping/`, and the query. Pure. */
export function parsePing(path: string, query: string): ParsedPing {
  const parts = path.split('/')
  // `/ping/<token>/` is the same as without the slash, as there.
  if (parts.length === 2 && parts[1] === '') parts.pop()
  const [secret = '', second, third] = parts
  if (parts.length > 3 || !parts.every((part) => NAME.test(part))) return NOT_FOUND
  const parameters = new URLSearchParams(query)
  const isBySlug = second !== undefined && actionOf(second) === undefined
  if (!isBySlug && third !== undefined) return NOT_FOUND
  if (isBySlug && second !== second.toLowerCase()) return { status: 400, text: 'invalid url format' }
  const action = actionOf(isBySlug ? third : second)
  if (action === undefined) return NOT_FOUND
  const rid = parameters.get('rid')
  const fault =
    (action.exitCode ?? 0) > 255 ? 'invalid url format' : rid !== null && !UUID.test(rid) ? 'invalid uuid format' : undefined
  const slug = isBySlug ? second : null
  const creates = isBySlug && parameters.get('create') === '1'
  return { secret, slug, ...action, rid: rid?.toLowerCase() ?? null, creates, ...(fault && { fault }) }
}

function actionOf(text: string | undefined): { kind: PingKind; exitCode: number | null } | undefined {
  if (text === undefined) return { kind: 'success', exitCode: null }
  if (text === 'start' || text === 'fail' || text === 'log') return { kind: text, exitCode: null }
  if (!/^\d{1,9}$/.test(text)) return undefined
  const exitCode = Number(text)
  return { kind: exitCode === 0 ? 'success' : 'fail', exitCode }
}

/** What a push of Uptime Kuma says, or the text of its refusal. */
export type ParsedPush = { kind: 'success' | 'fail'; reportedMs: number | null; message: string | null } | { refusal: string }

const MAX_PUSHED_MS = 100_000_000_000

/** The query of a push as Uptime Kuma reads it. Pure. */
export function parsePush(query: string): ParsedPush {
  const parameters = new URLSearchParams(query)
  const reportedMs = Number.parseFloat(parameters.get('ping') ?? '') || null
  if (reportedMs !== null && (reportedMs < 0 || reportedMs > MAX_PUSHED_MS))
    return { refusal: `Invalid ping value. Must be between 0 and ${MAX_PUSHED_MS} ms.` }
  const message = parameters.get('msg')
  return {
    kind: (parameters.get('status') || 'up') === 'up' ? 'success' : 'fail',
    reportedMs,
    message: message === null || message === '' || message === 'OK' ? null : message,
  }
}
