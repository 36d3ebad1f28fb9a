import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Target, TARGETS } from '../build/targets.ts'
import type { Build } from '../build/tools.ts'

/** A build in a folder of its own, at a time of its own. */
export function createBuild(releaseKeys = ''): Build {
  const work = mkdtempSync(join(tmpdir(), 'vedette-build-'))
  const root = resolve(import.meta.dirname, '../..')
  return {
    root,
    work,
    out: join(work, 'out'),
    version: '0.1.0',
    sourceEpoch: 1_763_760_000,
    releaseKeys,
    environment: process.env,
    step: (_, work) => work(),
  }
}

export function targetOf(name: string): Target {
  const target = TARGETS.find((one) => one.name === name)
  if (!target) throw new Error(`there is no target ${name}`)
  return target
}
