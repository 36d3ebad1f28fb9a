// `npm run build:installers`: from the built files to what a host can install. docs/releases.md says what comes out.
import { createPublicKey, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readPublicKey, readSigningKey, writeReleaseKeys } from './manifest.ts'
import { makeArtefacts, publish } from './release.ts'
import { pickTargets, TARGETS } from './targets.ts'
import { type Build, run } from './tools.ts'

const DAY_SECONDS = 86_400

const HELP = `npm run build:installers -- [options]

  --only NAMES            targets by commas: ${TARGETS.map((target) => target.name).join(', ')}
  --out FOLDER            where the artefacts go; it is emptied first (installers/dist)
  --key-file FILE         PEM file with the private key that signs (or RELEASE_KEY_FILE); without it nothing is signed
  --next-key-file FILE    PEM file with the public key that comes after it (or RELEASE_NEXT_KEY_FILE)
  --sequence NUMBER       grows with each manifest (the time of the sources, in seconds)
  --staged-percent N      share of the hosts that take the release by themselves (100)
  --expires-days N        days from the time of the sources (90)
`

const OPTIONS = {
  only: { type: 'string' },
  out: { type: 'string' },
  'key-file': { type: 'string' },
  'next-key-file': { type: 'string' },
  sequence: { type: 'string' },
  'staged-percent': { type: 'string', default: '100' },
  'expires-days': { type: 'string', default: '90' },
  help: { type: 'boolean', short: 'h' },
} as const

const say = (line: string): void => console.error(line)
const root = resolve(import.meta.dirname, '../..')

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) return console.log(HELP)
  const targets = pickTargets(values.only)
  const keys = readKeys(
    values['key-file'] ?? process.env['RELEASE_KEY_FILE'],
    values['next-key-file'] ?? process.env['RELEASE_NEXT_KEY_FILE'],
  )
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const build: Build = {
    root,
    work: mkdtempSync(join(tmpdir(), 'vedette-installers-')),
    out: resolve(values.out ?? join(root, 'installers/dist')),
    version,
    sourceEpoch: 0,
    releaseKeys: writeReleaseKeys(keys.trusted),
    environment: process.env,
  }
  try {
    build.sourceEpoch = await readSourceEpoch(build)
    if (!keys.signing)
      say('no signing key is given (--key-file): nothing is signed, and these programs take no update by themselves')
    const artefacts = await makeArtefacts(build, targets, say)
    const head = {
      version,
      sequence: wholeNumber('--sequence', values.sequence ?? String(build.sourceEpoch), Number.MAX_SAFE_INTEGER),
      publishedAt: new Date(build.sourceEpoch * 1000),
      expiresAt: new Date((build.sourceEpoch + wholeNumber('--expires-days', values['expires-days'], 3650) * DAY_SECONDS) * 1000),
      stagedPercent: wholeNumber('--staged-percent', values['staged-percent'], 100),
    }
    await publish(build.out, head, artefacts, keys.signing)
    say(`${artefacts.length} artefacts in ${build.out} after ${Math.round(performance.now() / 1000)} s`)
  } finally {
    rmSync(build.work, { recursive: true })
  }
}

/** From what is committed, so that the same sources give the same bytes on another day. */
async function readSourceEpoch(build: Build): Promise<number> {
  const given = process.env['SOURCE_DATE_EPOCH']
  if (given !== undefined) return wholeNumber('SOURCE_DATE_EPOCH', given, 0xffffffff)
  return Number(await run(build, 'git', ['-C', root, 'log', '-1', '--format=%ct']))
}

function readKeys(signingFile: string | undefined, nextFile: string | undefined): { signing?: KeyObject; trusted: KeyObject[] } {
  if (signingFile === undefined) return { trusted: [] }
  const signing = readSigningKey(readFileSync(signingFile, 'utf8'))
  const next = nextFile === undefined ? [] : [readPublicKey(readFileSync(nextFile, 'utf8'))]
  return { signing, trusted: [createPublicKey(signing), ...next] }
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > max) throw new Error(`${name} is a whole number up to ${max}`)
  return value
}

await main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
