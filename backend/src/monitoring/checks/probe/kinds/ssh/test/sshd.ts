import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { findTool, freePort } from '../../../../../../../../scripts/test-tools.ts'
import { type Ids, idsOf, makeServerFolder, type Server, startServer } from '../../../test/servers.ts'

export interface Sshd extends Server {
  port: number
  /** By type, as `ssh-keygen -l` prints them. */
  fingerprints: Readonly<Record<string, string>>
}

/** The server of Debian with host keys of these types, each with its number of bits, and further lines of its configuration. */
export async function startSshd(types: Readonly<Record<string, number>> = { ed25519: 256 }, ...more: string[]): Promise<Sshd> {
  const port = await freePort()
  // As root it wants a folder of the system, which not every machine has.
  const ids = idsOf('sshd')
  const folder = makeServerFolder({}, ids)
  const keys = Object.keys(types).map((type) => `HostKey ${folder}/key-${type}`)
  const settings = [`ListenAddress 127.0.0.1:${port}`, 'UsePAM no', 'PidFile none', 'MaxStartups 1000', ...keys, ...more]
  const file = join(makeServerFolder({ sshd_config: settings.join('\n') }, ids, folder), 'sshd_config')
  const fingerprints = Object.fromEntries(
    Object.entries(types).map(([type, bits]) => [type, makeHostKey(folder, type, bits, ids)]),
  )
  const server = await startServer([findTool('sshd') ?? 'sshd', '-D', '-e', '-f', file], { folder, port, ids })
  return { ...server, port, fingerprints }
}

function makeHostKey(folder: string, type: string, bits: number, ids: Ids): string {
  const file = `${folder}/key-${type}`
  const keygen = (...flags: string[]) =>
    execFileSync(findTool('ssh-keygen') ?? '', flags, { encoding: 'utf8', stdio: 'pipe', ...ids })
  keygen('-q', '-t', type, '-b', String(bits), '-N', '', '-f', file)
  return /SHA256:\S+/.exec(keygen('-l', '-f', `${file}.pub`))?.[0] ?? ''
}
