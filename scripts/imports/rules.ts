import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { featureOf } from './places.ts'
import type { GlobalUse, ImportUse } from './scan.ts'

/** The target of an import. A file's `path` is relative to the repository; outside of it, it starts with `..`. */
export type Target =
  | { kind: 'file'; path: string }
  | { kind: 'workspace'; name: string; isDeepImport: boolean }
  | { kind: 'builtin'; name: string }
  | { kind: 'external'; name: string }
  | { kind: 'computed' }

/** What a rule knows about the file that it checks. */
export interface SourceFile {
  path: string
  /** First folder: agent, backend, … */
  pkg: string
  isTest: boolean
  /** `main.ts` directly in a package's src, or in what builds. */
  isMain: boolean
  isConfig: boolean
  /** Folder of a feature below backend/src, with its wing; not platform. */
  feature: string | undefined
}

export interface Rule {
  id: string
  /** The last part of the message: what to do instead. */
  remedy: string
  rejectsImport?: (source: SourceFile, target: Target, use: ImportUse) => boolean
  rejectsUse?: (source: SourceFile, use: GlobalUse) => boolean
}

/** The workspace packages that a package may import; bench may import all. */
const MAY_NAME: Readonly<Record<string, readonly string[]>> = {
  agent: ['shared'],
  backend: ['shared'],
  client: ['shared'],
  dashboard: ['client', 'shared'],
}
/** Tests of the backend use its API as clients do. */
const TESTS_MAY_NAME: Readonly<Record<string, readonly string[]>> = { backend: ['client', 'contract'] }

/** From the top down. */
const LAYERS = ['app', 'features', 'components', 'lib', 'messages']
const DASHBOARD = /^dashboard\/src\/(app|features|components|lib|messages)\/([^/]+)/

/** What tests of every package may import. */
const TEST_TOOLS = new Set(['scripts/test-overlay.ts', 'scripts/test-tools.ts', 'scripts/test-rounds.ts'])
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
// A bare `process` gets another name or is passed on; the check cannot see what is read from it then.
const ENVIRONMENT = /^process(?:$|\.(?:env|exit|reallyExit|abort|loadEnvFile|\*)$)/

/** Functions that make, change or remove files, or open them for it. */
const FILE_CHANGES =
  /^(?:\*|default|promises|(?:append|copy|write)File|createWriteStream|(?:chmod|chown|cp|fchmod|fchown|lchown|link|mkdir|mkdtemp|open|rename|rm|rmdir|symlink|truncate|unlink|write)(?:Sync)?|(?:append|copy|write)FileSync)$/
/** Where root may meet files of other users: the helpers, and files that work only in folders of their own or as their owner. */
const MAY_CHANGE_FILES = [
  // Opens to read alone, and only what is a file.
  'agent/src/certificates/certificate-files.ts',
  'backend/src/operating/moving/grafana-oncall/dump/read-dump.ts',
  'backend/src/platform/system/private-file.ts',
  // A file of /proc, where nobody can make a link.
  'backend/src/platform/system/process-name.ts',
  // The data folder: asserted to be this user's alone, or root became its owner.
  'backend/src/platform/crypto/installation-secrets.ts',
  'backend/src/platform/db/postgres/',
  'backend/src/operating/startup/data-dir.ts',
  'backend/src/operating/releases/agents/archives.ts',
  'backend/src/operating/local-agent/service.ts',
  'backend/src/monitoring/probes/program/',
  // New files alone: exclusive, and no link is followed.
  'backend/src/operating/archive/new-file.ts',
  'backend/src/operating/archive/frames.ts',
  'backend/src/operating/cli/backup.ts',
  // In a folder that it makes itself, exclusively and for this user alone.
  'backend/src/operating/moving/fetch/target-folder.ts',
  // Folders of root's.
  'backend/src/operating/cli/systemd.ts',
  'agent/src/commands/service.ts',
  'agent/src/update/',
  // Read only.
  'backend/src/platform/time/run-delay.ts',
  'agent/src/samplers/',
  'agent/src/entities/',
  // As the owner of the folders, who root becomes first (owner.ts).
  'agent/src/process/files.ts',
  'agent/src/process/log-file.ts',
  'agent/src/spool/',
  // Standard output.
  'agent/src/main.ts',
]

const isStore = ({ path }: SourceFile) => /(?:^|\/)(?:store\.ts|[^/]+-store\.ts|store\/.+)$/.test(path)
const mayUseSql = (source: SourceFile) =>
  isStore(source) || /^backend\/(?:src\/platform\/db|migrations)\//.test(source.path) || source.isTest || source.pkg === 'bench'
const mayUseHttp = (source: SourceFile) =>
  /^backend\/src\/(?:app\.ts$|platform\/http\/|.*(?:^|\/)(?:[^/]+-)?routes\.ts$)/.test(source.path) ||
  source.isTest ||
  source.pkg === 'bench'
const mayReadEnvironment = (source: SourceFile) =>
  source.isMain || source.isTest || source.isConfig || source.pkg === 'bench' || source.pkg === 'contract'
const mayReadClock = (source: SourceFile) =>
  mayReadEnvironment(source) ||
  /^(?:backend|agent)\/src\/platform\//.test(source.path) ||
  /^agent\/src\/(?:.*\/)?clock\.ts$/.test(source.path)
const isPure = (source: SourceFile) =>
  !source.isTest && source.feature !== undefined && /\/(?:status|assertions)\.ts$/.test(source.path)

const isPackage = (target: Target, pattern: RegExp) => target.kind === 'external' && pattern.test(target.name)
const targetFeature = (target: Target) => {
  const feature = target.kind === 'file' ? featureOf(target.path) : undefined
  return feature === 'platform' ? undefined : feature
}

export const RULES: readonly Rule[] = [
  {
    id: 'package-direction',
    remedy:
      'agent, backend and client import only @vedette/shared, dashboard also @vedette/client; shared and contract import no package. Move shared code to shared.',
    rejectsImport: ({ pkg, isTest }, target) => {
      if (target.kind === 'workspace') {
        const known = [...(MAY_NAME[pkg] ?? []), ...((isTest && TESTS_MAY_NAME[pkg]) || [])]
        return pkg !== 'bench' && (!known.includes(target.name) || target.isDeepImport)
      }
      if (target.kind !== 'file' || (isTest && TEST_TOOLS.has(target.path))) return false
      // Tests of the page run it on a backend of the tests.
      if (isTest && pkg === 'dashboard' && target.path.startsWith('backend/test/')) return false
      return pkg !== 'bench' && packageOf(target.path) !== pkg
    },
  },
  {
    id: 'shared-pure',
    remedy: 'shared has no I/O, clock or random values: take the value as a parameter.',
    rejectsImport: ({ pkg, isTest }, target) => pkg === 'shared' && !isTest && target.kind === 'builtin',
    rejectsUse: ({ pkg, isTest }, { name }) =>
      pkg === 'shared' && !isTest && (name.startsWith('process') || CLOCK_AND_CHANCE.test(name)),
  },
  {
    id: 'feature-index',
    remedy: 'import another feature through its index.ts, and export there what others may use.',
    rejectsImport: ({ path, feature }, target) => {
      const other = targetFeature(target)
      if (!path.startsWith('backend/src/') || other === undefined || other === feature) return false
      return target.kind === 'file' && target.path !== `backend/src/${other}/index.ts`
    },
  },
  {
    id: 'platform-below',
    remedy: 'platform knows nothing of the product: take what it needs as a parameter, or move it to a feature.',
    rejectsImport: ({ path, isTest }, target) =>
      path.startsWith('backend/src/platform/') && !isTest && targetFeature(target) !== undefined,
  },
  {
    id: 'sql-in-stores',
    remedy:
      'only store.ts, *-store.ts, platform/db and migrations use SQL: add a function to the store; import types from there too.',
    rejectsImport: (source, target, { names }) => {
      if (mayUseSql(source)) return false
      if (isPackage(target, /^(?:kysely|pg)(?:$|[/-])/)) return true
      const fromDatabase = target.kind === 'file' && target.path.startsWith('backend/src/platform/db/')
      return fromDatabase && names.some((name) => name === 'sql' || name === '*')
    },
  },
  {
    id: 'http-in-routes',
    remedy: 'only routes.ts, *-routes.ts, app.ts and platform/http use Fastify: pass plain values to the service.',
    rejectsImport: (source, target) => !mayUseHttp(source) && isPackage(target, /^(?:fastify(?:$|[/-])|@fastify\/)/),
  },
  {
    id: 'encrypters-declared',
    remedy:
      'declare the values with encryptedValues (platform/encrypted-values), which takes where they are stored: only so they are re-encrypted.',
    rejectsImport: ({ path, isTest }, target, { names }) =>
      path.startsWith('backend/src/') &&
      !isTest &&
      path !== 'backend/src/platform/encrypted-values/encrypted-values.ts' &&
      target.kind === 'file' &&
      target.path === 'backend/src/platform/crypto/encrypter.ts' &&
      names.some((name) => name === 'createEncrypter' || name === '*'),
  },
  {
    id: 'environment-in-main',
    remedy: 'only main.ts reads the environment and exits: add it to the settings, or return and let main.ts decide.',
    rejectsImport: (source, target, { names }) =>
      !mayReadEnvironment(source) && target.kind === 'builtin' && target.name === 'process' && names.includes('*'),
    rejectsUse: (source, { name }) => !mayReadEnvironment(source) && ENVIRONMENT.test(name),
  },
  {
    id: 'files-by-helper',
    remedy:
      'root may run this where another user planted links: use platform/system/private-file.ts (agent: files.ts), or list the file in MAY_CHANGE_FILES with the reason why a link can do no harm.',
    rejectsImport: (source, target, { names }) => {
      const { path, pkg, isTest } = source
      if (
        isTest ||
        isPure(source) ||
        (pkg !== 'backend' && pkg !== 'agent') ||
        target.kind !== 'builtin' ||
        !/^fs(?:\/promises)?$/.test(target.name)
      )
        return false
      return (
        path.startsWith(`${pkg}/src/`) &&
        names.some((name) => FILE_CHANGES.test(name)) &&
        !MAY_CHANGE_FILES.some((allowed) => path.startsWith(allowed))
      )
    },
  },
  {
    id: 'clock-in-platform',
    remedy:
      'only platform (agent: also clock.ts) uses the clock, timers and random values: take them from the context, so that tests can set them.',
    rejectsUse: (source, { name }) =>
      (source.pkg === 'backend' || source.pkg === 'agent') && !mayReadClock(source) && CLOCK_AND_CHANCE.test(name),
  },
  {
    id: 'pure-files',
    remedy: 'status.ts and assertions.ts are pure: import @vedette/shared and pure siblings, take the rest as parameters.',
    rejectsImport: (source, target) => isPure(source) && !isPureTarget(source, target),
  },
  {
    id: 'tests-stay-out',
    remedy:
      "src imports no test, and a test imports no other feature's test folder: move shared test code to the package's test/.",
    rejectsImport: (source, target) => {
      if (target.kind !== 'file' || !isTestPath(target.path)) return false
      const other = targetFeature(target)
      // A bench makes the same bad targets as the tests, at their real number.
      const mayTest = source.isTest || source.pkg === 'bench'
      return !mayTest || (other !== undefined && source.feature !== undefined && other !== source.feature)
    },
  },
  {
    id: 'dashboard-layers',
    remedy:
      'the dashboard imports downwards only (app, features, components, lib, messages), and no feature imports another. Move shared code down.',
    rejectsImport: ({ path, isTest }, target) => {
      const own = DASHBOARD.exec(path)
      const other = target.kind === 'file' ? DASHBOARD.exec(target.path) : null
      if (!own || !other || isTest) return false
      const [from, to] = [LAYERS.indexOf(own[1] ?? ''), LAYERS.indexOf(other[1] ?? '')]
      return to < from || (own[1] === 'features' && to === from && own[2] !== other[2])
    },
  },
  {
    id: 'computed-import',
    remedy: 'the check cannot see what a computed import reaches: write the name as a literal. Only platform loads by path.',
    rejectsImport: (source, target, { names }) => {
      if (source.isTest || source.isConfig || source.pkg === 'bench' || source.path.startsWith('backend/src/platform/'))
        return false
      return (
        target.kind === 'computed' || (target.kind === 'builtin' && target.name === 'module' && names.includes('createRequire'))
      )
    },
  },
]

function isPureTarget(source: SourceFile, target: Target): boolean {
  if (target.kind === 'builtin') return PURE_BUILTINS.has(target.name)
  if (target.kind === 'workspace') return target.name === 'shared'
  if (target.kind !== 'file') return false
  const isSibling = posix.dirname(source.path) === posix.dirname(target.path)
  return isSibling && !/\/(?:index|service|(?:.*-)?(?:store|routes))\.ts$/.test(target.path)
}

const packageOf = (path: string) => path.split('/')[0] ?? ''
const isTestPath = (path: string) => /(?:^|\/)test\/|\.test\.[cm]?[jt]sx?$/.test(path)

export function describeSource(path: string): SourceFile {
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
    ? { kind: 'workspace', name: own[1] ?? '', isDeepImport: own[2]?.startsWith('/src') === true }
    : { kind: 'external', name: specifier }
}
