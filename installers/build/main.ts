// `npm run build:installers`: builds the packages and archives of docs/releases.md.
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
import { createSteps } from './steps.ts'

const DAY_SECONDS = 86_400

const HELP = `npm run build:installers -- [options]

  --only NAMES            comma-separated targets: ${TARGETS.map((target) => target.name).join(', ')}
  --out FOLDER            output folder, emptied first (installers/dist)
  --sign-again            build nothing, only sign the manifest in that folder again 
  --key-file FILE         PEM file with the private signing key (or RELEASE_KEY_FILE); without it nothing is signed
  --next-key-file FILE    PEM file with the next public key (or RELEASE_NEXT_KEY_FILE)
  --rpm-key NAME          key of the GnuPG keyring that signs the .rpm; without it they are not signed
  --sequence NUMBER       must grow with each manifest (default: commit time in seconds; with --sign-again one more)
  --staged-percent N      share of the hosts that update automatically (100; with --sign-again unchanged)
  --expires-days N        days from the commit time, or with --sign-again from now (90)
`

const OPTIONS = {
  only: { type: 'string' },
  out: { type: 'string' },
  'key-file': { type: 'string' },
  'next-key-file': { type: 'string' },
  'rpm-key': { type: 'string' },
  sequence: { type: 'string' },
  'staged-percent': { type: 'string' },
  'expires-days': { type: 'string', default: '90' },
  'sign-again': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const print = (line: string): void => console.error(line)
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
  if (values['sign-again']) return signAgainAndPrint(out, keys.signing, numbers)
  const targets = pickTargets(values.only)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const build: Build = {
    root,
    work: mkdtempSync(join(tmpdir(), 'vedette-installers-')),
    out,
    version,
    sourceEpoch: 0,
    releaseKeys: writeReleaseKeys(keys.trusted),
    ...(values['rpm-key'] === undefined ? {} : { rpmKey: values['rpm-key'] }),
    environment: process.env,
    step: createSteps(availableParallelism(), print),
  }
  try {
    build.sourceEpoch = await readSourceEpoch(build)
    if (!keys.signing) print('no signing key (--key-file): nothing is signed, and these programs cannot update themselves')
    const artefacts = await makeArtefacts(build, targets)
    const head = {
      version,
      sequence: numbers.sequence ?? build.sourceEpoch,
      publishedAt: new Date(build.sourceEpoch * 1000),
      expiresAt: new Date((build.sourceEpoch + numbers.expiresDays * DAY_SECONDS) * 1000),
      stagedPercent: numbers.stagedPercent ?? 100,
    }
    await publish(build.out, head, artefacts, keys.signing)
    print(`${artefacts.length} artefacts in ${build.out} after ${Math.round(performance.now() / 1000)} s`)
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

async function signAgainAndPrint(folder: string, key: KeyObject | undefined, changes: Changes): Promise<void> {
  if (!key) throw new Error('no signing key (--key-file)')
  const head = await signAgain(folder, key, changes, Date.now())
  const until = head.expiresAt.toISOString().slice(0, 10)
  print(`${head.version} signed with sequence ${head.sequence}: for ${head.stagedPercent} % of the hosts, until ${until}`)
}

/** The commit time, so that the same sources give the same bytes on any day. */
async function readSourceEpoch(build: Build): Promise<number> {
  const epoch = process.env['SOURCE_DATE_EPOCH']
  if (epoch !== undefined) return wholeNumber('SOURCE_DATE_EPOCH', epoch, 0xffffffff)
  return Number(await run(build, 'git', ['-C', root, 'log', '-1', '--format=%ct']))
}

await main().catch((error: unknown) => {
  print(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
