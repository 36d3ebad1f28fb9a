import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Target } from './targets.ts'
import type { Build } from './tools.ts'

/** Where a unit finds the program and the docs: a package puts them elsewhere than an archive that is unpacked below /opt. */
export interface Places {
  program: string
  docs: string
}

/** Self-update replaces `current`; macOS keeps the same places. */
export const ARCHIVE_PLACES: Places = {
  program: '/opt/vedette/current/bin/vedette-agent',
  docs: '/opt/vedette/current/share/vedette-agent',
}

const UNITS: Readonly<Record<Target['os'], readonly string[]>> = {
  linux: ['vedette-agent.service'],
  darwin: [],
  win: [],
}

/** A unit file with its places filled in. */
export function readUnit(build: Build, name: string, places: Places): string {
  const text = readFileSync(join(build.root, 'installers/units', name), 'utf8')
  return text.replaceAll('@PROGRAM@', places.program).replaceAll('@DOCS@', places.docs)
}

/** Everything of an archive beside the program and its libraries: licences, a config to begin with, units. */
export function writeShare(build: Build, target: Target, folder: string, licences: string): void {
  const share = join(folder, 'share/vedette-agent')
  mkdirSync(join(share, 'units'), { recursive: true })
  writeFileSync(join(share, 'LICENSES.txt'), licences)
  copyFileSync(join(build.root, 'installers/files/agent.yaml'), join(share, 'agent.yaml'))
  for (const name of UNITS[target.os]) {
    const path = join(share, 'units', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, readUnit(build, name, ARCHIVE_PLACES))
  }
}
