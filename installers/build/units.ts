import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from './targets.ts'
import type { Build } from './tools.ts'

/** Paths of program, docs and scripts in a unit: packages use others than archives unpacked below /opt. */
export interface InstallPaths {
  program: string
  docs: string
  /** Of the agent only. */
  lib?: string
}

/** The paths of install.sh; an update replaces `current`. */
const ARCHIVE_PATHS: InstallPaths = {
  program: '/opt/vedette-agent/current/bin/vedette-agent',
  docs: '/opt/vedette-agent/current/share/vedette-agent',
  lib: '/opt/vedette-agent/current/share/vedette-agent',
}

const WINDOWS_PATHS: InstallPaths = {
  program: 'C:\\Program Files\\Vedette\\vedette-agent.exe',
  docs: 'C:\\Program Files\\Vedette',
}

export const PACKAGE_PATHS: InstallPaths = {
  program: '/usr/bin/vedette-agent',
  docs: '/usr/share/doc/vedette-agent',
  lib: '/usr/lib/vedette',
}

/** Read the health of disks, where they are enabled by hand. */
export const SMART_UNITS: readonly string[] = ['vedette-smart.service', 'vedette-smart.timer']

const UNITS: Readonly<Record<Target['os'], readonly string[]>> = {
  linux: ['vedette-agent.service', 'vedette-agent.openrc', ...SMART_UNITS],
  darwin: ['vedette-agent.plist'],
  win: ['vedette-agent.task.xml'],
}

/** Of the backend: the timer is not enabled by the package. */
export const BACKEND_UNITS: readonly string[] = ['vedette.service', 'vedette-backup.service', 'vedette-backup.timer']

/** A unit file with its paths filled in. */
export function readUnit(build: Build, name: string, paths: InstallPaths): string {
  const text = readFileSync(join(build.root, 'installers/units', name), 'utf8')
  return text
    .replaceAll('@PROGRAM@', paths.program)
    .replaceAll('@DOCS@', paths.docs)
    .replaceAll('@LIB@', paths.lib ?? '')
}

/** Writes licences, an example config and units: everything in an archive except the program and its libraries. */
export function writeShare(build: Build, target: Target, folder: string, licences: string): void {
  const share = join(folder, 'share/vedette-agent')
  mkdirSync(join(share, 'units'), { recursive: true })
  writeFileSync(join(share, 'LICENSES.txt'), licences)
  copyFileSync(join(build.root, 'installers/files/agent.yaml'), join(share, 'agent.yaml'))
  const paths = target.os === 'win' ? WINDOWS_PATHS : ARCHIVE_PATHS
  for (const name of UNITS[target.os]) {
    const text = readUnit(build, name, paths)
    // Windows reads a task only in its export format (UTF-16 with CRLF).
    writeFileSync(
      join(share, 'units', name),
      target.os === 'win' ? Buffer.from(`\ufeff${text.replaceAll('\n', '\r\n')}`, 'utf16le') : text,
    )
  }
  if (target.os !== 'linux') return
  copyFileSync(join(build.root, 'installers/files/smart.sh'), join(share, 'smart.sh'))
  const container = readFileSync(join(build.root, 'installers/files/Containerfile.agent'), 'utf8')
  writeFileSync(join(share, 'Containerfile'), container.replaceAll('@VERSION@', build.version))
}
