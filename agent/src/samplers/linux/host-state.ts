import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { HostState } from '@vedette/shared'
import { tryReadText } from '../../process/files.ts'
import type { Clock } from '../../process/clock.ts'
import { listFailedUnits } from './dbus.ts'
import { KeptFiles } from './proc-file.ts'

/** `/proc/uptime`: whole seconds since the boot, sleep included. */
export function parseUptime(text: string): number | undefined {
  const seconds = Number.parseFloat(text)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.floor(seconds) : undefined
}

/** On x86, and on 64-bit ARM and others, whose times have 64 bits. */
const UTMP_RECORD_BYTES = [384, 400]
/** Above the last type of a record. */
const UTMP_TYPES = 10
const UTMP_USER_PROCESS = 7

/**
 * Users of a utmp file of Linux: one record for each terminal, with its type first and the name at 44. Undefined for a file in another
 * form.
 */
export function parseUtmp(bytes: Buffer): Set<string> | undefined {
  const size = UTMP_RECORD_BYTES.find((each) => isInRecords(bytes, each))
  if (size === undefined) return undefined
  const users = new Set<string>()
  for (let at = 0; at + size <= bytes.length; at += size) {
    if (bytes.readInt16LE(at) !== UTMP_USER_PROCESS) continue
    const name = bytes.toString('latin1', at + 44, at + 76).replace(/\0.*$/s, '')
    if (name !== '') users.add(name)
  }
  return users
}

/** Whether each record of this size has a type. */
function isInRecords(bytes: Buffer, size: number): boolean {
  if (bytes.length % size !== 0) return false
  for (let at = 0; at < bytes.length; at += size) if (bytes.readUInt16LE(at) >= UTMP_TYPES) return false
  return true
}

/** The user of a session of systemd-logind; undefined for those of no person, and for one that ends. */
export function parseSession(text: string): string | undefined {
  const field = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]
  const isPersons = field('CLASS')?.startsWith('user') === true && field('STATE') !== 'closing'
  return isPersons ? field('UID') : undefined
}

/** Programs that leave one of the marks below: where none is installed, that there is no mark says nothing. */
const REBOOT_NOTIFIERS = [
  '/usr/share/update-notifier/notify-reboot-required',
  '/etc/kernel/postinst.d/unattended-upgrades',
  '/etc/kernel/postinst.d/update-notifier',
  '/usr/bin/zypper',
]
/** Debian and Ubuntu; openSUSE. */
const REBOOT_MARKERS = ['/run/reboot-required', '/run/reboot-needed']

export interface HostStateSources {
  procRoot?: string
  /** Before every other path. */
  root?: string | undefined
  uid?: number
}

/** Reads the state of the host from files in memory and one D-Bus call. */
export class HostStateReader {
  readonly #clock: Clock
  readonly #files: KeptFiles
  readonly #root: string
  readonly #uid: number
  readonly #leavesMarks: boolean

  constructor(clock: Clock, sources: HostStateSources = {}) {
    this.#clock = clock
    this.#root = sources.root ?? ''
    this.#files = new KeptFiles(sources.procRoot ?? `${this.#root}/proc`)
    this.#uid = sources.uid ?? process.getuid?.() ?? 0
    this.#leavesMarks = REBOOT_NOTIFIERS.some((path) => existsSync(this.#root + path))
  }

  /** All failed units, however many. */
  async read(): Promise<HostState> {
    const uptime = parseUptime(this.#files.read('uptime') ?? '')
    const users = this.#users()
    const units = await this.#failedUnits()
    const reboot = this.#rebootRequired()
    return {
      ...(uptime !== undefined && { uptime_seconds: uptime }),
      ...(users !== undefined && { logged_in_users: users }),
      ...(units && { failed_units: units.sort() }),
      ...(reboot !== undefined && { reboot_required: reboot }),
    }
  }

  /** systemd runs this host: what else stands under /run/systemd may be there without it. */
  #hasSystemd(): boolean {
    return existsSync(`${this.#root}/run/systemd/system`)
  }

  #users(): number | undefined {
    try {
      const folder = `${this.#root}/run/systemd/sessions`
      if (!this.#hasSystemd() || !existsSync(folder)) return parseUtmp(readFileSync(`${this.#root}/run/utmp`))?.size
      const sessions = readdirSync(folder).filter((name) => !name.endsWith('.ref'))
      return new Set(sessions.map((name) => parseSession(tryReadText(`${folder}/${name}`) ?? '')).filter(Boolean)).size
    } catch {
      return undefined
    }
  }

  async #failedUnits(): Promise<string[] | undefined> {
    const socket = `${this.#root}/run/dbus/system_bus_socket`
    if (!this.#hasSystemd() || !existsSync(socket)) return undefined
    return listFailedUnits(this.#clock, socket, this.#uid)
  }

  #rebootRequired(): boolean | undefined {
    if (REBOOT_MARKERS.some((path) => existsSync(this.#root + path))) return true
    return this.#leavesMarks ? false : undefined
  }
}
