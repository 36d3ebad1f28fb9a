import { truncateText } from '@vedette/shared/outside-text'
import { createHash } from 'node:crypto'
import { arch, cpus, hostname, networkInterfaces, release, totalmem, uptime } from 'node:os'
import { join } from 'node:path'
import type { FactsBody, RegisterBody } from '@vedette/shared'
import { type Clock, randomUUID, settlesWithin } from '../process/clock.ts'
import type { AgentConfig } from '../config/config-settings.ts'
import { readTextIfThere, tryReadText, writeAtomic } from '../process/files.ts'
import { readContainer } from '../samplers/linux/container.ts'
import { toTimestamp } from '../samplers/numbers/precision.ts'
import { findSources, type SourceConfig } from './sources.ts'
import { AGENT_VERSION } from '../version.ts'

/** systeminformation starts programs to find some facts, and they can hang. */
const FACTS_WAIT_MS = 10_000
const MAX_ADDRESSES = 64
const MACHINE_ID_LENGTH = 32
const MACHINE_ID_PATHS = ['/etc/machine-id', '/var/lib/dbus/machine-id']

type FactsConfig = Pick<AgentConfig, 'tags'> & SourceConfig

interface SystemFacts {
  os: string
  cpuModel: string
}

/** The facts for registration. Most come from Node; the names of system and processor from systeminformation. */
export async function collectFacts(clock: Clock, stateDir: string, config: FactsConfig): Promise<RegisterBody> {
  const names = await readNames(clock)
  const cpuModel = names?.cpuModel || cpus()[0]?.model
  const { hostRoot } = config
  const os = hostRoot === undefined ? names?.os : prettyName(tryReadText(`${hostRoot}/etc/os-release`))
  return {
    ...ownFacts(clock.now(), config),
    os: truncateText(os || process.platform, 255),
    machine_id: machineId(
      stateDir,
      MACHINE_ID_PATHS.map((path) => (hostRoot ?? '') + path),
    ),
    ...(cpuModel && { cpu_model: truncateText(cpuModel.trim(), 256) }),
  }
}

/** The facts that Node itself provides, without child processes. These can change during the life of a host. */
export function ownFacts(nowMs: number, config: FactsConfig) {
  const { tags, hostRoot } = config
  const cores = cpus().length
  const bootTime = toTimestamp(bootTimeMs(nowMs))
  // The limits of the agent's own container are not those of the host that it reports.
  const container = process.platform === 'linux' && hostRoot === undefined ? readContainer() : undefined
  const name = (hostRoot !== undefined && tryReadText(`${hostRoot}/etc/hostname`)?.trim()) || hostname()
  return {
    hostname: truncateText(name, 255) || 'unknown',
    kernel: truncateText(release(), 255),
    arch: arch(),
    agent_version: AGENT_VERSION,
    ...(cores > 0 && { cpu_cores: cores }),
    memory_bytes: totalmem(),
    ...(bootTime !== undefined && { boot_time: bootTime }),
    ip_addresses: ipAddresses(),
    ...(container && { container }),
    ...(tags && { tags }),
    sources: findSources(config, process.platform),
  } satisfies FactsBody
}

async function readNames(clock: Clock): Promise<SystemFacts | undefined> {
  let facts: SystemFacts | undefined
  const read = async () => {
    // Imported only here: it is large and starts child processes.
    const { default: si } = await import('systeminformation')
    const [system, processor] = await Promise.all([si.osInfo(), si.cpu()])
    const cpuModel = [processor.manufacturer, processor.brand].filter(Boolean).join(' ')
    facts = { os: osName(system), cpuModel }
  }
  await settlesWithin(clock, read(), FACTS_WAIT_MS)
  return facts
}

export function osName(system: { distro: string; release: string; codename: string }): string {
  const codename = system.codename && !system.release.includes(system.codename) ? `(${system.codename})` : ''
  return [system.distro, system.release, codename].filter((part) => part && part !== 'unknown').join(' ')
}

/** The name of the system in an os-release(5). */
const prettyName = (text = '') => /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(text)?.[1]

/** From the kernel where it has it: now minus uptime varies by a second between two calls. */
function bootTimeMs(nowMs: number): number {
  const bootSeconds = /^btime (\d+)$/m.exec(tryReadText('/proc/stat') ?? '')?.[1]
  return bootSeconds === undefined ? Math.round(nowMs / 1000 - uptime()) * 1000 : Number(bootSeconds) * 1000
}

function ipAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  // A link-local address does not identify a host.
  const useful = addresses.filter(({ internal, address }) => !internal && !/^(?:fe80:|169\.254\.)/i.test(address))
  return [...new Set(useful.map(({ address }) => address))].slice(0, MAX_ADDRESSES)
}

/**
 * Stable per host. machine-id(5) asks to keep the host's id confidential, so only a digest of it leaves the host. A host without an
 * id gets one that is stored in the state folder.
 */
export function machineId(stateDir: string, paths: readonly string[] = MACHINE_ID_PATHS): string {
  for (const path of paths) {
    const id = tryReadText(path)?.trim()
    // Images that were never booted have an empty or "uninitialized" file: the same on every copy.
    if (id && /^[0-9a-f]{32}$/i.test(id)) return digest(id)
  }
  const path = join(stateDir, 'machine-id')
  const stored = readTextIfThere(path)?.trim()
  if (stored) return digest(stored)
  const id = randomUUID()
  writeAtomic(path, `${id}\n`)
  return digest(id)
}

function digest(id: string): string {
  return createHash('sha256').update(`vedette${id}`).digest('hex').slice(0, MACHINE_ID_LENGTH)
}

/** Changes with each boot; undefined on systems without a boot id. */
export function readBootId(): string | undefined {
  return tryReadText('/proc/sys/kernel/random/boot_id')?.trim() || undefined
}
