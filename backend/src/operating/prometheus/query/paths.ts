import { listFamilies, type SeriesFamily } from '../../../hosts/series/index.ts'
import { formatQuery, parseQuery, PromqlError } from '../../../querying/promql/index.ts'
import { type Catalogue, matchersOf } from './catalogue.ts'
import { createKeptAnswers, KEPT_MS } from './kept-answers.ts'
import { instantOf, limitOf, lookbackOf, type Parameters, queryOf, rangeOf, selectorsOf, timeoutOf } from './parameters.ts'
import { readAlerts, readRules } from './rules.ts'
import { answerQuery, inScope, type QueryDeps } from './service.ts'
import type { Labels } from './sources/source.ts'

/** What a route answers with: a finished text, or data. */
type Answer = { bytes: Buffer } | { data: unknown; warnings?: readonly string[] }
interface Call {
  organization: number
  parameters: Parameters
  /** The label in the path. */
  name: string
  signal: AbortSignal
}

/** One path of the API. */
export interface ApiPath {
  path: string
  /** POST with a form too. */
  takesForms?: true
  answer(call: Call): Answer | Promise<Answer>
}

/** What Grafana takes for the version of the API that answers. */
const PROMETHEUS_VERSION = '2.53.0'

export interface PathDeps extends QueryDeps {
  version: string
}

export const pathsOf = (deps: PathDeps): ApiPath[] => [...evaluationPaths(deps), ...listPaths(deps), ...otherPaths(deps)]

function evaluationPaths(deps: PathDeps): ApiPath[] {
  const evaluation = (parameters: Parameters) => ({
    expression: queryOf(parameters),
    lookbackMs: lookbackOf(parameters),
    timeoutMs: timeoutOf(parameters),
    limit: limitOf(parameters),
    withStats: parameters.get('stats') === 'all',
  })
  return [
    {
      path: '/query',
      takesForms: true,
      answer: async ({ organization, parameters, signal }) => {
        const atMs = instantOf(parameters, 'time', deps.clock.now())
        const question = { ...evaluation(parameters), startMs: atMs, endMs: atMs, stepMs: 0 }
        return { bytes: await answerQuery(deps, organization, question, signal) }
      },
    },
    {
      path: '/query_range',
      takesForms: true,
      answer: async ({ organization, parameters, signal }) => {
        const question = { ...evaluation(parameters), ...rangeOf(parameters) }
        return { bytes: await answerQuery(deps, organization, question, signal) }
      },
    },
  ]
}

function listPaths({ reader, clock, catalogue }: PathDeps): ApiPath[] {
  const kept = createKeptAnswers<Labels>(clock)
  const labelsOf = ({ organization, parameters, name: label }: Call): Promise<readonly Labels[]> => {
    // Clients send the present to the millisecond, which is the same question for ten seconds.
    const listing = {
      selectors: selectorsOf(parameters).map(matchersOf),
      fromMs: Math.floor(instantOf(parameters, 'start', 0) / KEPT_MS) * KEPT_MS,
      toMs: Math.ceil(instantOf(parameters, 'end', clock.now()) / KEPT_MS) * KEPT_MS,
      ...(label !== '' && { label }),
    }
    return kept(JSON.stringify([organization, listing]), () =>
      inScope({ reader, clock }, organization, (scope) => catalogue.list(scope, listing)),
    )
  }
  const listed = async (call: Call, pick: (found: readonly Labels[]) => readonly unknown[]): Promise<Answer> => {
    const limit = limitOf(call.parameters)
    const all = pick(await labelsOf(call))
    if (limit === undefined || all.length <= limit) return { data: all }
    return { data: all.slice(0, limit), warnings: ['results truncated due to limit'] }
  }
  return [
    {
      path: '/series',
      takesForms: true,
      answer: (call) => {
        if (selectorsOf(call.parameters).length === 0) throw new PromqlError('bad_data', 'no match[] parameter provided')
        return listed(call, (found) => found)
      },
    },
    {
      path: '/labels',
      takesForms: true,
      answer: (call) => listed(call, (found) => sortedNames(found.flatMap((labels) => Object.keys(labels)))),
    },
    {
      path: '/label/*',
      answer: (call) => listed(call, (found) => sortedNames(found.flatMap((labels) => labels[call.name] ?? []))),
    },
  ]
}

function otherPaths({ catalogue, version, ...deps }: PathDeps): ApiPath[] {
  return [
    {
      path: '/metadata',
      answer: async ({ organization, parameters }) => {
        const received = await inScope(deps, organization, ({ from }) => listFamilies(from.db, organization))
        return { data: metadataOf([...catalogue.families.map(ourFamily), ...received], parameters) }
      },
    },
    {
      path: '/query_exemplars',
      takesForms: true,
      answer: ({ parameters }) => {
        parseQuery(queryOf(parameters))
        return { data: [] }
      },
    },
    {
      path: '/format_query',
      takesForms: true,
      answer: ({ parameters }) => ({ data: formatQuery(queryOf(parameters)) }),
    },
    {
      path: '/parse_query',
      takesForms: true,
      answer: ({ parameters }) => ({ data: parseQuery(queryOf(parameters)) }),
    },
    {
      path: '/rules',
      answer: async ({ organization }) => ({ data: await inScope(deps, organization, readRules) }),
    },
    {
      path: '/alerts',
      answer: async ({ organization }) => ({ data: await inScope(deps, organization, readAlerts) }),
    },
    {
      path: '/status/buildinfo',
      answer: () => ({
        data: {
          application: 'vedette',
          version: PROMETHEUS_VERSION,
          revision: version,
          branch: '',
          buildUser: '',
          buildDate: '',
          goVersion: '',
        },
      }),
    },
  ]
}

const sortedNames = (names: readonly string[]): string[] => [...new Set(names)].sort()

const ourFamily = ({ name, type, help }: Catalogue['families'][number]): SeriesFamily => ({
  name,
  type: type === 'gauge' || type === 'info' ? type : 'unknown',
  unit: '',
  help,
})

/** A name may be ours and another program's. */
function metadataOf(families: readonly SeriesFamily[], parameters: Parameters): Record<string, object[]> {
  const limit = limitOf(parameters) ?? Number.POSITIVE_INFINITY
  const metric = parameters.get('metric') ?? ''
  const wanted = Map.groupBy(
    families.filter(({ name }) => metric === '' || name === metric),
    ({ name }) => name,
  )
  return Object.fromEntries(
    [...wanted].slice(0, limit).map(([name, own]) => [name, own.map(({ type, help, unit }) => ({ type, help, unit }))]),
  )
}
