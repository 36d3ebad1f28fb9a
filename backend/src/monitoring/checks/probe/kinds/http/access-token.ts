import { createHash } from 'node:crypto'
import { type DefinitionOf, truncateText } from '@vedette/shared'
import { monotonicUs } from '../../../../../platform/time/monotonic.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import type { HttpRequest } from '../../http/request.ts'
import { visit } from './visit.ts'
import type { Fault } from '../../phases/fault.ts'
import { type AccessToken, type Attempt, noFacts, type ProbeTools } from '../kind.ts'

type Definition = DefinitionOf<'http'>

const MAX_TOKENS = 10_000
const MAX_TOKEN_LENGTH = 8_192
/** A token that ends within this time is replaced: a check takes up to a minute. */
const MARGIN_SECONDS = 60
/** RFC 6749 leaves out the time of some tokens. */
const DEFAULT_SECONDS = 300
const MAX_SECONDS = 86_400

/** Monitors with the same client share a token. The key contains no secret. */
function keyOf({ options, credentials }: Definition): string {
  const parts = [options.oauth2_token_url, options.oauth2_client_id, options.oauth2_scope, credentials.oauth2_client_secret ?? '']
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}

/** A token that is known, else a new one (RFC 6749, section 4.4). Its request counts for the timeout and not for the times. */
export function takeToken(
  definition: Definition,
  tokenUrl: string,
  attempt: Attempt,
  tools: ProbeTools,
  done: (token: string | Fault) => void,
): void {
  const key = keyOf(definition)
  const known = tools.accessTokens.get(key)
  const nowMs = monotonicUs() / 1_000
  if (known && known.untilMs > nowMs) return done(known.token)
  const before = { ...attempt.timeline.us }
  const end = (outcome: AccessToken | Fault) => {
    attempt.timeline.rewind(before)
    if ('code' in outcome) return done({ ...outcome, message: `no token by OAuth 2 (${outcome.message})`, isOfDefinition: true })
    if (tools.accessTokens.size >= MAX_TOKENS) tools.accessTokens.clear()
    tools.accessTokens.set(key, outcome)
    done(outcome.token)
  }
  visit({
    attempt,
    tools,
    request: requestOf(definition, tokenUrl),
    followsRedirects: false,
    verifiesTls: definition.verify_tls,
    // The endpoint is another target, and need not speak what the monitor wants.
    network: {},
    facts: noFacts(),
    done: attempt.safely((answer: HttpAnswer | Fault) => {
      end('code' in answer ? answer : tokenIn(answer, nowMs))
    }),
  })
}

export const dropToken = (definition: Definition, { accessTokens }: ProbeTools): void => {
  if (definition.options.oauth2_token_url !== undefined) accessTokens.delete(keyOf(definition))
}

function requestOf({ options, credentials }: Definition, tokenUrl: string): HttpRequest {
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (options.oauth2_scope !== undefined) form.set('scope', options.oauth2_scope)
  // Section 2.3.1: both parts are encoded as in a form.
  const encoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  const client = `${encoded(options.oauth2_client_id ?? '')}:${encoded(credentials.oauth2_client_secret ?? '')}`
  return {
    url: new URL(tokenUrl),
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(client).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
    },
    body: Buffer.from(form.toString()),
  }
}

function tokenIn({ statusCode, body }: HttpAnswer, nowMs: number): AccessToken | Fault {
  const { access_token: token, expires_in: seconds, error } = fieldsOf(body)
  if (statusCode !== 200) {
    const why = typeof error === 'string' ? ` (${truncateText(error, 60)})` : ''
    return { code: 'protocol', message: `its endpoint returned status ${statusCode}${why}` }
  }
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length > MAX_TOKEN_LENGTH)
    return { code: 'protocol', message: 'its endpoint returned no usable access_token' }
  const given = typeof seconds === 'number' && seconds >= 0 ? Math.min(seconds, MAX_SECONDS) : DEFAULT_SECONDS
  return { token, untilMs: nowMs + (given - MARGIN_SECONDS) * 1_000 }
}

function fieldsOf(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
