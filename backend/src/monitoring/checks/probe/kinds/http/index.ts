import type { DefinitionOf } from '@vedette/shared'
import { visit } from './visit.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import type { Fault } from '../../phases/fault.ts'
import type { Attempt, CheckKind, ProbeTools } from '../kind.ts'
import { dropToken, takeToken } from './access-token.ts'

type Definition = DefinitionOf<'http'>

/** A request with its redirects. */
export const http: CheckKind<Definition> = {
  type: 'http',
  hostOf: ({ url }) => URL.parse(url)?.hostname ?? '',
  start(definition, attempt, tools) {
    const { options, credentials } = definition
    if (credentials.bearer_token !== undefined) return send(definition, attempt, tools, credentials.bearer_token)
    if (options.oauth2_token_url === undefined) return send(definition, attempt, tools, undefined)
    takeToken(definition, options.oauth2_token_url, attempt, tools, (token) => {
      if (typeof token !== 'string') return attempt.fail(token)
      attempt.addSecret(token)
      send(definition, attempt, tools, token)
    })
  },
}

function send(definition: Definition, attempt: Attempt, tools: ProbeTools, token: string | undefined): void {
  const { method, headers, body, follow_redirects: followsRedirects, verify_tls: verifiesTls, credentials } = definition
  const { client_certificate: certificate, client_key: key } = credentials
  const authorized = token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` }
  const request = {
    url: new URL(definition.url),
    method,
    headers: authorized,
    body: body === null ? undefined : Buffer.from(body),
  }
  visit({
    attempt,
    tools,
    request,
    followsRedirects,
    verifiesTls,
    network: definition.options,
    clientCertificate: certificate === undefined || key === undefined ? undefined : { certificate, key },
    facts: attempt.facts,
    arrived: () => attempt.arrived(),
    done: attempt.safely((outcome: HttpAnswer | Fault) => {
      // A token may end before its time; the next check gets a new one.
      if (attempt.facts.statusCode === 401) dropToken(definition, tools)
      if ('code' in outcome) attempt.fail(outcome)
      else attempt.answer(outcome)
    }),
  })
}
