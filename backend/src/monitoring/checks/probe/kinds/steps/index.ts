import { type Assertion, DAY_MS, type DefinitionOf, fillIn, type Step, stepsIn, truncateText } from '@vedette/shared'
import { createObservation, evaluateAssertions, type Evaluation } from '../../../evaluation/index.ts'
import type { HttpAnswer } from '../../http/answer.ts'
import { type CookieJar, createCookieJar } from '../../http/cookies.ts'
import type { HttpRequest } from '../../http/request.ts'
import type { Fault } from '../../phases/fault.ts'
import { responseUs } from '../../phases/timeline.ts'
import { visit } from '../http/visit.ts'
import type { Attempt, CheckKind, ProbeTools } from '../kind.ts'
import { capture, patternFaultsOfSteps } from './capture.ts'

type Definition = DefinitionOf<'steps'>

/** Requests one after the other. The first one that fails ends the check. */
export const steps: CheckKind<Definition> = {
  type: 'steps',
  patternFaults: patternFaultsOfSteps,
  hostOf: ({ url }) => URL.parse(url)?.hostname ?? '',
  start(definition, attempt, tools) {
    const { proxy_password: _password, ...values } = definition.credentials
    runStep(
      {
        definition,
        attempt,
        tools,
        cookies: createCookieJar(attempt.startedAtMs),
        steps: stepsIn(definition.options),
        index: 0,
        degraded: undefined,
      },
      values,
    )
  },
}

interface Run {
  definition: Definition
  attempt: Attempt
  tools: ProbeTools
  /** Those that redirects set; others are captured. */
  cookies: CookieJar
  steps: readonly Step[]
  index: number
  /** The first step that is degraded. */
  degraded: Evaluation | undefined
}

/** What `{{name}}` stands for. */
type Values = Record<string, string>

function runStep(run: Run, values: Values): void {
  const { definition, attempt, tools, cookies, steps, index } = run
  const { follow_redirects: followsRedirects, verify_tls: verifiesTls } = definition.options
  const step = steps[index] as Step
  const beforeUs = responseUs(attempt.timeline)
  const fail = ({ code, message }: Fault) => attempt.fail({ code, message: `${nameOf(run)}: ${message}` })
  const request = requestOf(definition, step, values)
  if ('code' in request) return fail(request)
  const receive = attempt.safely((answer: HttpAnswer | Fault) => {
    if ('code' in answer) return fail(answer)
    conclude(run, values, answer, (responseUs(attempt.timeline) - beforeUs) / 1_000)
  })
  visit({
    attempt,
    tools,
    request,
    followsRedirects,
    verifiesTls,
    network: definition.options,
    cookies,
    facts: attempt.facts,
    done: receive,
  })
}

const nameOf = ({ steps, index }: Run): string => `step ${index + 1} (${steps[index]?.name})`

function conclude(run: Run, values: Values, { statusCode, headers, body }: HttpAnswer, responseMs: number): void {
  const { attempt, steps, index } = run
  const step = steps[index] as Step
  const { certificate, figures } = attempt.facts
  figures[`step_${index + 1}`] = `${step.name}: ${statusCode}, ${Math.round(responseMs * 10) / 10} ms`
  const certificateDaysLeft = certificate && (certificate.expiresAtMs - attempt.startedAtMs) / DAY_MS
  const observation = createObservation({
    statusCode,
    responseMs,
    certificateDaysLeft,
    headers,
    body,
    url: attempt.facts.url,
    facts: {},
  })
  const evaluation = named(run, evaluateAssertions(observation, (step.assertions ?? []) as Assertion[]))
  const answer = { headers, body }
  if (evaluation.outcome === 'down' || evaluation.outcome === 'inconclusive') return attempt.answer(answer, evaluation)
  const captured: Values = {}
  for (const one of step.captures ?? []) {
    const value = capture(one, observation)
    if (typeof value !== 'string')
      return attempt.answer(answer, named(run, { outcome: 'down', error: { code: 'assertion', message: value.fault } }))
    attempt.addSecret(value)
    captured[one.name] = value
  }
  const degraded = run.degraded ?? (evaluation.outcome === 'degraded' ? evaluation : undefined)
  if (index + 1 < steps.length) return runStep({ ...run, index: index + 1, degraded }, { ...values, ...captured })
  attempt.arrived()
  attempt.answer(answer, degraded)
}

const named = (run: Run, evaluation: Evaluation): Evaluation =>
  evaluation.error === null
    ? evaluation
    : { ...evaluation, error: { ...evaluation.error, message: truncateText(`${nameOf(run)}: ${evaluation.error.message}`, 300) } }

/** With the values in the place of their names. A value ends neither a part of the URL nor a header. */
function requestOf({ url: base }: Definition, step: Step, values: Values): HttpRequest | Fault {
  const valueOf = (name: string) => values[name] ?? ''
  const url = URL.parse(
    fillIn(step.url, (name) => encodeURIComponent(valueOf(name))),
    base,
  )
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return { code: 'protocol', message: 'the URL with its values is not one over http or https' }
  const headers = Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, text]) => [name, fillIn(text, valueOf)]))
  const unfit = Object.keys(headers).find((name) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(headers[name] as string))
  if (unfit !== undefined)
    return { code: 'protocol', message: `a value for the header ${unfit} has a character that headers cannot have` }
  const body = step.body === undefined ? undefined : Buffer.from(fillIn(step.body, valueOf))
  return { url, method: step.method ?? 'GET', headers, body }
}
