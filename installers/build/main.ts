// `npm run build:installers`: from the built files to what a host can install. docs/releases.md says what comes out.
import type { KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeReleaseKeys } from './manifest.ts'
import { readKeys, wholeNumber } from './options.ts'
import { makeArtefacts, publish } from './release.ts'
import { type Changes, signAgain } from './sign-again.ts'
import { pickTargets, TARGETS } from './targets.ts'
import { type Build, run } from './tools.ts'
import { makeSteps } from './turns.ts'

const DAY_SECONDS = 86_400

const HELP = `npm run build:installers -- [options]

  --only NAMES            targets by commas: ${TARGETS.map((target) => target.name).join(', ')}
  --out FOLDER            where the artefacts go; it is emptied first (installers/dist)
  --sign-again            builds nothing: signs the manifest that is in that folder anew (npm run release:sign)
  --key-file FILE         PEM file with the private key that signs (or RELEASE_KEY_FILE); without it nothing is signed
  --next-key-file FILE    PEM file with the public key that comes after it (or RELEASE_NEXT_KEY_FILE)
  --sequence NUMBER       grows with each manifest (the time of the sources, in seconds; signed again: one more)
  --staged-percent N      share of the hosts that take the release by themselves (100; signed again: as it was)
  --expires-days N        days from the time of the sources, or from now where it is signed again (90)
`

const OPTIONS = {
  only: { type: 'string' },
  out: { type: 'string' },
  'key-file': { type: 'string' },
  'next-key-file': { type: 'string' },
  sequence: { type: 'string' },
  'staged-percent': { type: 'string' },
  'expires-days': { type: 'string', default: '90' },
  'sign-again': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const say = (line: string): void => console.error(line)
const root = resolve(import.meta.dirname, '../..')

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) return console.log(HELP)
  const keys = readKeys(
    values['key-file'] ?? process.env['RELEASE_KEY_FILE'],
    values['next-key-file'] ?? process.env['RELEASE_NEXT_KEY_FILE'],
  )
  const out = resolve(values.out ?? join(root, 'installers/dist'))
  const numbers = readNumbers(values)
  if (values['sign-again']) return sayAgain(out, keys.signing, numbers)
  const targets = pickTargets(values.only)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const build: Build = {
    root,
    work: mkdtempSync(join(tmpdir(), 'vedette-installers-')),
    out,
    version,
    sourceEpoch: 0,
    releaseKeys: writeReleaseKeys(keys.trusted),
    environment: process.env,
    step: makeSteps(availableParallelism(), say),
  }
  try {
    build.sourceEpoch = await readSourceEpoch(build)
    if (!keys.signing)
      say('no signing key is given (--key-file): nothing is signed, and these programs take no update by themselves')
    const artefacts = await makeArtefacts(build, targets)
    const head = {
      version,
      sequence: numbers.sequence ?? build.sourceEpoch,
      publishedAt: new Date(build.sourceEpoch * 1000),
      expiresAt: new Date((build.sourceEpoch + numbers.expiresDays * DAY_SECONDS) * 1000),
      stagedPercent: numbers.stagedPercent ?? 100,
    }
    await publish(build.out, head, artefacts, keys.signing)
    say(`${artefacts.length} artefacts in ${build.out} after ${Math.round(performance.now() / 1000)} s`)
  } finally {
    rmSync(build.work, { recursive: true })
  }
}

function readNumbers(values: Partial<Record<'sequence' | 'staged-percent', string>> & { 'expires-days': string }): Changes {
  const { sequence, 'staged-percent': staged } = values
  return {
    expiresDays: wholeNumber('--expires-days', values['expires-days'], 3650),
    ...(sequence === undefined ? {} : { sequence: wholeNumber('--sequence', sequence, Number.MAX_SAFE_INTEGER) }),
    ...(staged === undefined ? {} : { stagedPercent: wholeNumber('--staged-percent', staged, 100) }),
  }
}

async function sayAgain(folder: string, key: KeyObject | undefined, changes: Changes): Promise<void> {
  if (!key) throw new Error('no signing key is given (--key-file)')
  const head = await signAgain(folder, key, changes, Date.now())
  const until = head.expiresAt.toISOString().slice(0, 10)
  say(`${head.version} signed as number ${head.sequence}: for ${head.stagedPercent} % of the hosts, until ${until}`)
}

/** From what is committed, so that the same sources give the same bytes on another day. */
async function readSourceEpoch(build: Build): Promise<number> {
  const given = process.env['SOURCE_DATE_EPOCH']
  if (given !== undefined) return wholeNumber('SOURCE_DATE_EPOCH', given, 0xffffffff)
  return Number(await run(build, 'git', ['-C', root, 'log', '-1', '--format=%ct']))
}

await main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
