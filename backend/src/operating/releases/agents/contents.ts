import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { HOME_FOLDER } from '../../../platform/home-folder.ts'
import type { Platform } from './node-packages.ts'

const UNITS = new URL('installers/units/', HOME_FOLDER)
const EXAMPLE_CONFIG = new URL('installers/files/agent.yaml', HOME_FOLDER)
const SMART = new URL('installers/files/smart.sh', HOME_FOLDER)
/** Of the backend's package, or of a clone. */
const LICENCES = ['share/LICENSES.txt', 'LICENSE']
const AGENT_FOLDER = new URL('agent/dist/', HOME_FOLDER)
const DESCRIPTION = 'bundle.json'

const PROGRAM = '/opt/vedette-agent/current/bin/vedette-agent'
const SHARE = '/opt/vedette-agent/current/share/vedette-agent'

/** What the bundler says of the agent. */
interface AgentDescription {
  version: string
  nodeFlags: readonly string[]
}

export interface AgentBundle extends AgentDescription {
  files: ReadonlyMap<string, Buffer>
}

export interface ArchiveFile {
  name: string
  bytes: Buffer
  isProgram: boolean
}

/** Undefined where the agent is not built. */
export function readAgentDescription(): AgentDescription | undefined {
  const path = new URL(DESCRIPTION, AGENT_FOLDER)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as AgentDescription) : undefined
}

/** Undefined where the agent is not built. */
export function readAgentBundle(): AgentBundle | undefined {
  const description = readAgentDescription()
  if (!description) return undefined
  const names = readdirSync(AGENT_FOLDER).filter((name) => name.endsWith('.cjs'))
  const files = [DESCRIPTION, ...names.sort()].map((name) => [name, readFileSync(new URL(name, AGENT_FOLDER))] as const)
  return { ...description, files: new Map(files) }
}

/** Everything of an archive but Node and what belongs to it. */
export function archiveFiles(platform: Platform, bundle: AgentBundle): ArchiveFile[] {
  const isWindows = platform === 'win-x64'
  const file = (name: string, bytes: Buffer | string, isProgram = false) => ({
    name,
    bytes: Buffer.from(bytes as Buffer),
    isProgram,
  })
  const flags = bundle.nodeFlags.join(' ')
  const licences = LICENCES.map((name) => new URL(name, HOME_FOLDER)).find((url) => existsSync(url))
  return [
    isWindows
      ? file('bin/vedette-agent.cmd', windowsStarter(flags), true)
      : file('bin/vedette-agent', unixStarter(flags, platform.startsWith('linux-')), true),
    ...[...bundle.files].map(([name, bytes]) => file(`lib/vedette/${name}`, bytes)),
    file('lib/vedette/node-flags.txt', `${flags}\n`),
    ...(licences ? [file('share/vedette-agent/LICENSES.txt', readFileSync(licences))] : []),
    file('share/vedette-agent/agent.yaml', readFileSync(EXAMPLE_CONFIG)),
    ...(platform.startsWith('linux-') ? [file('share/vedette-agent/smart.sh', readFileSync(SMART), true)] : []),
    ...unitsOf(platform).map((name) => file(`share/vedette-agent/units/${name}`, readUnit(name))),
  ]
}

/** Changes with every file of the archive but Node. */
export function fingerprintOf(files: readonly ArchiveFile[], node: string): string {
  const hash = createHash('sha256').update(node)
  for (const { name, bytes } of files) hash.update(`\n${name} ${bytes.length}\n`).update(bytes)
  return hash.digest('hex').slice(0, 16)
}

function unitsOf(platform: Platform): string[] {
  if (platform === 'win-x64') return []
  if (platform.startsWith('darwin-')) return ['vedette-agent.plist']
  return ['vedette-agent.service', 'vedette-agent.openrc', 'vedette-smart.service', 'vedette-smart.timer']
}

function readUnit(name: string): string {
  return readFileSync(new URL(name, UNITS), 'utf8')
    .replaceAll('@PROGRAM@', PROGRAM)
    .replaceAll('@DOCS@', SHARE)
    .replaceAll('@LIB@', SHARE)
}

/** Follows the links of install.sh to the folder of its own version. */
function unixStarter(flags: string, isLinux: boolean): string {
  const libatomic = `# Node needs libatomic, which a small Debian does not have.
found=no
for library in /lib*/libatomic.so.1 /lib/*/libatomic.so.1 /usr/lib*/libatomic.so.1 /usr/lib/*/libatomic.so.1; do
  [ ! -e "$library" ] || found=yes
done
[ $found = yes ] || [ ! -e "$lib/libatomic.so.1" ] || export LD_LIBRARY_PATH="$lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
`
  return `#!/bin/sh
# Starts the agent with the Node next to it.
program=$0
while [ -L "$program" ]; do
  link=$(readlink "$program")
  case $link in /*) program=$link ;; *) program=\${program%/*}/$link ;; esac
done
lib=\${program%/*}/../lib/vedette
${isLinux ? libatomic : ''}exec "$lib/node" ${flags} "$lib/vedette-agent.cjs" "$@"
`
}

const windowsStarter = (flags: string): string =>
  ['@echo off', `"%~dp0..\\lib\\vedette\\node.exe" ${flags} "%~dp0..\\lib\\vedette\\vedette-agent.cjs" %*`, ''].join('\r\n')
