/**
 * Whether the checkout can be released; each step says `ok` or `failed`, and one that failed makes the exit code 1:
 *
 *   npm run release:check [-- --key-file FILE] [--only NAMES] [--skip-tests]
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { manifestFaults, sumFaults } from './release/folder.ts'
import { versionFaults } from './release/versions.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'installers/dist')

const { values } = parseArgs({
  options: { 'key-file': { type: 'string' }, only: { type: 'string' }, 'skip-tests': { type: 'boolean', default: false } },
})

/** Runs a program with its output on stderr; returns a fault when it fails. */
function faultsOfRun(command: string, args: readonly string[], environment: Record<string, string> = {}): string[] {
  const env = { ...process.env, ...environment }
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2], env })
  return status === 0 ? [] : [`${command} ${args.join(' ')} ended with ${error?.message ?? status}`]
}

function treeFaults(): string[] {
  const { status, stdout, stderr } = spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) return [stderr.trim()]
  return stdout.split('\n').filter((line) => line !== '')
}

const node = (script: string, ...args: string[]): string[] => faultsOfRun(process.execPath, [script, ...args])
const installersFaults = (): string[] =>
  faultsOfRun('sh', ['scripts/launch.sh', 'test', 'installers/test/full'], {
    TEST_INSTALLERS: '1',
    TEST_REQUIRE_ALL: '1',
  })
const passed = (['key-file', 'only'] as const).flatMap((name) => (values[name] === undefined ? [] : [`--${name}`, values[name]]))
const version = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version

/** Cheapest first. All steps run, so that one run reports everything. */
const STEPS: readonly (readonly [string, () => string[] | Promise<string[]>])[] = [
  ['clean tree', treeFaults],
  ['one version', () => versionFaults(ROOT)],
  ['links of the docs', () => faultsOfRun('sh', ['scripts/launch.sh', 'test', 'scripts/test/docs.test.ts'])],
  ['installers', () => node('installers/build/main.ts', ...passed)],
  ...(values.only !== undefined ? [] : ([['installers work', installersFaults]] as const)),
  ['SHA256SUMS', () => sumFaults(DIST)],
  ['signature and manifest', () => manifestFaults(DIST, version, Date.now())],
  ...(values['skip-tests'] ? [] : ([['tests', () => faultsOfRun('.ci/run', [])]] as const)),
]

let failed = 0
for (const [name, faultsOf] of STEPS) {
  const faults = await faultsOf()
  if (faults.length > 0) failed += 1
  console.log(`${faults.length > 0 ? 'failed' : 'ok    '}  ${name}`)
  for (const fault of faults) console.log(`        ${fault}`)
}
if (values['skip-tests']) console.log('left out  tests (--skip-tests): this is no release yet')
process.exitCode = failed > 0 ? 1 : 0
