import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from './targets.ts'
import type { Build } from './tools.ts'

/** Where a unit finds the program and the docs: a package puts them elsewhere than an archive that is unpacked below /opt. */
export interface Places {
  program: string
  docs: string
}

/** Where install.sh puts it; self-update replaces `current`. */
const ARCHIVE_PLACES: Places = {
  program: '/opt/vedette-agent/current/bin/vedette-agent',
  docs: '/opt/vedette-agent/current/share/vedette-agent',
}

const WINDOWS_PLACES: Places = { program: 'C:\\Program Files\\Vedette\\vedette-agent.exe', docs: 'C:\\Program Files\\Vedette' }

export const PACKAGE_PLACES: Places = { program: '/usr/bin/vedette-agent', docs: '/usr/share/doc/vedette-agent' }

const UNITS: Readonly<Record<Target['os'], readonly string[]>> = {
  linux: ['vedette-agent.service', 'vedette-agent.openrc'],
  darwin: ['vedette-agent.plist'],
  win: ['vedette-agent.task.xml'],
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
  const places = target.os === 'win' ? WINDOWS_PLACES : ARCHIVE_PLACES
  for (const name of UNITS[target.os]) {
    const text = readUnit(build, name, places)
    // Windows reads a task only in the form that it exports it in.
    writeFileSync(
      join(share, 'units', name),
      target.os === 'win' ? Buffer.from(`\ufeff${text.replaceAll('\n', '\r\n')}`, 'utf16le') : text,
    )
  }
  if (target.os !== 'linux') return
  const container = readFileSync(join(build.root, 'installers/files/Containerfile.agent'), 'utf8')
  writeFileSync(join(share, 'Containerfile'), container.replaceAll('@VERSION@', build.version))
}
