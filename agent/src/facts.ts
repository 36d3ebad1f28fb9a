import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { arch, cpus, hostname, networkInterfaces, release, totalmem, uptime } from 'node:os'
import { join } from 'node:path'
import type { FactsBody, RegisterBody } from '@vedette/shared'
import { type Clock, randomUUID, settlesWithin } from './clock.ts'
import { readTextIfThere, writeAtomic } from './files.ts'
import { readContainer } from './samplers/linux/container.ts'
import { AGENT_VERSION } from './version.ts'

/** The library starts programs to find some facts, and they can hang. */
const FACTS_WAIT_MS = 10_000
const MAX_ADDRESSES = 64
const MACHINE_ID_LENGTH = 32

interface SystemFacts {
  os: string
  cpuModel: string
}

/** What is told at registration. Node knows most of it; the names of system and processor come from systeminformation. */
export async function collectFacts(clock: Clock, stateDir: string, tags: string[] | undefined): Promise<RegisterBody> {
  const names = await readNames(clock)
  const cpuModel = names?.cpuModel || cpus()[0]?.model
  return {
    ...ownFacts(clock.now(), tags),
    os: (names?.os || process.platform).slice(0, 255),
    machine_id: machineId(stateDir),
    ...(cpuModel && { cpu_model: cpuModel.trim().slice(0, 256) }),
  }
}

/** What Node itself knows of the host: cheap, without child processes. These are the facts that change in a host's life. */
export function ownFacts(nowMs: number, tags: string[] | undefined) {
  const cores = cpus().length
  const container = process.platform === 'linux' ? readContainer() : undefined
  return {
    hostname: hostname().slice(0, 255) || 'unknown',
    kernel: release().slice(0, 255),
    arch: arch(),
    agent_version: AGENT_VERSION,
    ...(cores > 0 && { cpu_cores: cores }),
    memory_bytes: totalmem(),
    boot_time: new Date(bootTimeMs(nowMs)).toISOString(),
    ip_addresses: ipAddresses(),
    ...(container && { container }),
    ...(tags && { tags }),
  } satisfies FactsBody
}

async function readNames(clock: Clock): Promise<SystemFacts | undefined> {
  let found: SystemFacts | undefined
  const read = async () => {
    // Imported here only: it is large, and starts child processes, neither of which belongs into a running agent.
    const { default: si } = await import('systeminformation')
    const [system, processor] = await Promise.all([si.osInfo(), si.cpu()])
    const cpuModel = [processor.manufacturer, processor.brand].filter(Boolean).join(' ')
    found = { os: osName(system), cpuModel }
  }
  await settlesWithin(clock, read(), FACTS_WAIT_MS)
  return found
}

export function osName(system: { distro: string; release: string; codename: string }): string {
  const codename = system.codename && !system.release.includes(system.codename) ? `(${system.codename})` : ''
  return [system.distro, system.release, codename].filter((part) => part && part !== 'unknown').join(' ')
}

/** The kernel's own instant where it tells one: uptime counted back from now wanders by a second between two calls. */
function bootTimeMs(nowMs: number): number {
  const told = /^btime (\d+)$/m.exec(readOwn('/proc/stat') ?? '')?.[1]
  return told === undefined ? Math.round(nowMs / 1000 - uptime()) * 1000 : Number(told) * 1000
}

function ipAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  // A link-local address says nothing about where the host is.
  const telling = addresses.filter(({ internal, address }) => !internal && !/^(?:fe80:|169\.254\.)/i.test(address))
  return [...new Set(telling.map(({ address }) => address))].slice(0, MAX_ADDRESSES)
}

/**
 * Stable per host. The host's own id is asked to stay confidential (machine-id(5)), so what leaves is a digest of it. A host
 * without one gets an id that is kept in the state folder.
 */
export function machineId(stateDir: string, paths: readonly string[] = ['/etc/machine-id', '/var/lib/dbus/machine-id']): string {
  for (const path of paths) {
    const id = readOwn(path)?.trim()
    // Images that were never started hold nothing or "uninitialized" there: the same on every copy.
    if (id && /^[0-9a-f]{32}$/i.test(id)) return digest(id)
  }
  const path = join(stateDir, 'machine-id')
  const kept = readTextIfThere(path)?.trim()
  if (kept) return digest(kept)
  const made = randomUUID()
  writeAtomic(path, `${made}\n`)
  return digest(made)
}

function digest(id: string): string {
  return createHash('sha256').update(`vedette${id}`).digest('hex').slice(0, MACHINE_ID_LENGTH)
}

/** Differs after each start of the host; undefined where the system has no such thing. */
export function readBootId(): string | undefined {
  return readOwn('/proc/sys/kernel/random/boot_id')?.trim() || undefined
}

function readOwn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
