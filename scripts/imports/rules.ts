import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import type { GlobalUse, ImportUse } from './scan.ts'

/** Where an import leads. A file's `path` is relative to the repository; one that leaves it begins with `..`. */
export type Target =
  | { kind: 'file'; path: string }
  | { kind: 'workspace'; name: string; passesItsDoors: boolean }
  | { kind: 'builtin'; name: string }
  | { kind: 'external'; name: string }
  | { kind: 'computed' }

/** What a rule may know of the file it judges. */
export interface Place {
  path: string
  /** First folder: agent, backend, … */
  pkg: string
  isTest: boolean
  /** `main.ts` directly in a package's src, or in what builds. */
  isMain: boolean
  isConfig: boolean
  /** Folder under backend/src other than platform. */
  feature: string | undefined
}

export interface Rule {
  id: string
  /** What to do instead, as the message's last part. */
  wayOut: string
  refusesImport?: (place: Place, target: Target, use: ImportUse) => boolean
  refusesUse?: (place: Place, use: GlobalUse) => boolean
}

/** Exceptions that stay: each names a file, a rule and why. */
export const ALLOWED: readonly { path: string; rule: string; reason: string }[] = []

/** What a package may name of the workspace, beside bench, which may name all. */
const MAY_NAME: Readonly<Record<string, readonly string[]>> = {
  agent: ['shared'],
  backend: ['shared'],
  client: ['shared'],
  dashboard: ['client', 'shared'],
}
/** Tests of the backend speak to it as its users do. */
const TESTS_MAY_NAME: Readonly<Record<string, readonly string[]>> = { backend: ['client', 'contract'] }

/** From the top down; the second group is a feature's name. */
const LAYERS = ['app', 'features', 'components', 'lib', 'messages']
const DASHBOARD = /^dashboard\/src\/(app|features|components|lib|messages)\/([^/]+)/

const BLOCK = 'backend/src/metrics/block/'
const TEST_TOOLS = 'scripts/test-tools.ts'
const PURE_BUILTINS = new Set([
  'assert',
  'assert/strict',
  'buffer',
  'crypto',
  'path',
  'string_decoder',
  'url',
  'util',
  'util/types',
  'zlib',
])
const CLOCK_AND_CHANCE =
  /^(?:Date\.now|new Date\(\)|set(?:Timeout|Interval|Immediate)(?:\.|$)|Math\.random|performance\.(?:now|timeOrigin|performance|\*)|process\.(?:hrtime|uptime)|crypto\.(?:random|getRandom|webcrypto|\*))/
// A bare `process` is one that gets another name or is handed on, after which nobody sees what is read from it.
const ENVIRONMENT = /^process(?:$|\.(?:env|exit|reallyExit|abort|loadEnvFile|\*)$)/

const isStore = ({ path }: Place) => /(?:^|\/)(?:store\.ts|[^/]+-store\.ts|store\/.+)$/.test(path)
const speaksSql = (place: Place) =>
  isStore(place) || /^backend\/(?:src\/platform\/db|migrations)\//.test(place.path) || place.isTest || place.pkg === 'bench'
const speaksHttp = (place: Place) =>
  /^backend\/src\/(?:app\.ts$|platform\/http\/|.*(?:^|\/)(?:[^/]+-)?routes\.ts$)/.test(place.path) ||
  place.isTest ||
  place.pkg === 'bench'
const mayAskEnvironment = (place: Place) =>
  place.isMain || place.isTest || place.isConfig || place.pkg === 'bench' || place.pkg === 'contract'
const mayAskClock = (place: Place) =>
  mayAskEnvironment(place) ||
  /^(?:backend|agent)\/src\/platform\//.test(place.path) ||
  /^agent\/src\/(?:.*\/)?clock\.ts$/.test(place.path)
const isPure = (place: Place) =>
  !place.isTest &&
  (place.path.startsWith(BLOCK) || (place.feature !== undefined && /\/(?:status|assertions)\.ts$/.test(place.path)))

const isPackage = (target: Target, pattern: RegExp) => target.kind === 'external' && pattern.test(target.name)
const featureOf = (path: string) => /^backend\/src\/([^/]+)\//.exec(path)?.[1]
const targetFeature = (target: Target) => {
  const feature = target.kind === 'file' ? featureOf(target.path) : undefined
  return feature === 'platform' ? undefined : feature
}

export const RULES: readonly Rule[] = [
  {
    id: 'package-direction',
    wayOut:
      'agent, backend and client import @vedette/shared by that name, dashboard also @vedette/client, and nothing else of each other; shared and contract import none. Move what both need to shared.',
    refusesImport: ({ pkg, isTest }, target) => {
      if (target.kind === 'workspace') {
        const known = [...(MAY_NAME[pkg] ?? []), ...((isTest && TESTS_MAY_NAME[pkg]) || [])]
        return pkg !== 'bench' && (!known.includes(target.name) || target.passesItsDoors)
      }
      if (target.kind !== 'file' || (isTest && target.path === TEST_TOOLS)) return false
      return pkg !== 'bench' && packageOf(target.path) !== pkg
    },
  },
  {
    id: 'shared-pure',
    wayOut: 'shared has no I/O, clock or chance: take the value as a parameter.',
    refusesImport: ({ pkg, isTest }, target) => pkg === 'shared' && !isTest && target.kind === 'builtin',
    refusesUse: ({ pkg, isTest }, { name }) =>
      pkg === 'shared' && !isTest && (name.startsWith('process') || CLOCK_AND_CHANCE.test(name)),
  },
  {
    id: 'feature-door',
    wayOut: 'another feature comes in through its index.ts: export there what is meant for others.',
    refusesImport: ({ path, feature }, target) => {
      const other = targetFeature(target)
      if (!path.startsWith('backend/src/') || other === undefined || other === feature) return false
      return target.kind === 'file' && target.path !== `backend/src/${other}/index.ts`
    },
  },
  {
    id: 'platform-below',
    wayOut: 'platform knows nothing of the product: take what it needs as a parameter, or move it to a feature.',
    refusesImport: ({ path, isTest }, target) =>
      path.startsWith('backend/src/platform/') && !isTest && targetFeature(target) !== undefined,
  },
  {
    id: 'sql-in-stores',
    wayOut:
      'only store.ts, *-store.ts, platform/db and migrations speak SQL: give the store a function for it; types come from there too.',
    refusesImport: (place, target, { names }) => {
      if (speaksSql(place)) return false
      if (isPackage(target, /^(?:kysely|pg)(?:$|[/-])/)) return true
      const fromDatabase = target.kind === 'file' && target.path.startsWith('backend/src/platform/db/')
      return fromDatabase && names.some((name) => name === 'sql' || name === '*')
    },
  },
  {
    id: 'http-in-routes',
    wayOut: 'only routes.ts, *-routes.ts, app.ts and platform/http speak Fastify: hand the service plain values.',
    refusesImport: (place, target) => !speaksHttp(place) && isPackage(target, /^(?:fastify(?:$|[/-])|@fastify\/)/),
  },
  {
    id: 'environment-in-main',
    wayOut: 'only main.ts reads the environment and exits: add it to the settings, or return and let main.ts decide.',
    refusesImport: (place, target, { names }) =>
      !mayAskEnvironment(place) && target.kind === 'builtin' && target.name === 'process' && names.includes('*'),
    refusesUse: (place, { name }) => !mayAskEnvironment(place) && ENVIRONMENT.test(name),
  },
  {
    id: 'clock-in-platform',
    wayOut:
      'clock, timers and chance live in platform (agent: also clock.ts): take them from the context, so that tests can set them.',
    refusesUse: (place, { name }) =>
      (place.pkg === 'backend' || place.pkg === 'agent') && !mayAskClock(place) && CLOCK_AND_CHANCE.test(name),
  },
  {
    id: 'pure-files',
    wayOut:
      'status.ts, assertions.ts and metrics/block are pure: import @vedette/shared and pure siblings, take the rest as parameters.',
    refusesImport: (place, target) => isPure(place) && !isPureTarget(place, target),
  },
  {
    id: 'tests-stay-out',
    wayOut:
      "src imports no test, and a test no other feature's test folder: what several tests need belongs into the package's own test/.",
    refusesImport: (place, target) => {
      if (target.kind !== 'file' || !isTestPath(target.path)) return false
      const other = targetFeature(target)
      // A bench makes the same bad targets as the tests, at their real number.
      const mayTest = place.isTest || place.pkg === 'bench'
      return !mayTest || (other !== undefined && place.feature !== undefined && other !== place.feature)
    },
  },
  {
    id: 'dashboard-layers',
    wayOut:
      "the dashboard imports downwards only: app, features, components, lib, messages; and no feature another's files. Move what both need down.",
    refusesImport: ({ path, isTest }, target) => {
      const own = DASHBOARD.exec(path)
      const other = target.kind === 'file' ? DASHBOARD.exec(target.path) : null
      if (!own || !other || isTest) return false
      const [from, to] = [LAYERS.indexOf(own[1] ?? ''), LAYERS.indexOf(other[1] ?? '')]
      return to < from || (own[1] === 'features' && to === from && own[2] !== other[2])
    },
  },
  {
    id: 'computed-import',
    wayOut: 'nobody can tell what it reaches: write the name as a literal. Loading by path belongs into platform.',
    refusesImport: (place, target, { names }) => {
      if (place.isTest || place.isConfig || place.pkg === 'bench' || place.path.startsWith('backend/src/platform/')) return false
      return (
        target.kind === 'computed' || (target.kind === 'builtin' && target.name === 'module' && names.includes('createRequire'))
      )
    },
  },
]

function isPureTarget(place: Place, target: Target): boolean {
  if (target.kind === 'builtin') return PURE_BUILTINS.has(target.name)
  if (target.kind === 'workspace') return target.name === 'shared'
  if (target.kind !== 'file') return false
  const isBeside = place.path.startsWith(BLOCK)
    ? target.path.startsWith(BLOCK)
    : posix.dirname(place.path) === posix.dirname(target.path)
  return isBeside && !/\/(?:index|service|(?:.*-)?(?:store|routes))\.ts$/.test(target.path)
}

const packageOf = (path: string) => path.split('/')[0] ?? ''
const isTestPath = (path: string) => /(?:^|\/)test\/|\.test\.[cm]?[jt]sx?$/.test(path)

export function placeOf(path: string): Place {
  const feature = featureOf(path)
  return {
    path,
    pkg: packageOf(path),
    isTest: isTestPath(path),
    isMain: /^[^/]+\/(?:src|build)\/main\.ts$/.test(path),
    isConfig: /\.config\.[cm]?[jt]s$/.test(path),
    feature: feature === 'platform' ? undefined : feature,
  }
}

/** Resolves as Node does for what the house uses: relative paths with their extension, workspace names, built-ins, packages. */
export function targetOf(path: string, specifier: string | undefined): Target {
  if (specifier === undefined) return { kind: 'computed' }
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) return { kind: 'file', path: posix.join(posix.dirname(path), specifier) }
  if (specifier.startsWith('/') || specifier.startsWith('file:')) return { kind: 'file', path: `../${specifier}` }
  if (isBuiltin(specifier)) return { kind: 'builtin', name: specifier.replace(/^node:/, '') }
  const own = /^@vedette\/([^/]+)(\/.*)?$/.exec(specifier)
  // Which other paths of a package may be named is in the `exports` of its package.json, and Node refuses the rest.
  return own
    ? { kind: 'workspace', name: own[1] ?? '', passesItsDoors: own[2]?.startsWith('/src') === true }
    : { kind: 'external', name: specifier }
}
