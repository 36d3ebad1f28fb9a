import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import type { Measured } from '../numbers/precision.ts'
import { type DeviceReading, deviceRates, sumRates } from '../numbers/rates.ts'
import { eachLine, parseNumbers, skipNumber } from './text.ts'

/** The unit of /proc/diskstats, whatever the disk's own sector size. */
const SECTOR_BYTES = 512
/** Disks are added and removed and reuse names: whether a name is a physical disk is checked this often. */
const KIND_LIFETIME_MS = 300_000

/** Order of the counters of a disk. */
const READS = 0
const WRITES = 1
const READ_BYTES = 2
const WRITTEN_BYTES = 3

/** Reads, writes, read bytes and written bytes of each device of /proc/diskstats for which `isCounted`. */
export function parseDiskstats(text: string, isCounted: (name: string) => boolean): Map<string, number[]> {
  const disks = new Map<string, number[]>()
  eachLine(text, (start, end) => {
    // Behind the two device numbers; a name has no blanks.
    const nameStart = skipNumber(text, skipNumber(text, start))
    const nameEnd = text.indexOf(' ', nameStart)
    if (nameEnd < 0 || nameEnd > end) return
    const name = text.slice(nameStart, nameEnd)
    if (!isCounted(name)) return
    const [reads, , sectorsRead, , writes, , sectorsWritten] = parseNumbers(text, nameEnd, end)
    if (reads === undefined || sectorsRead === undefined || writes === undefined || sectorsWritten === undefined) return
    disks.set(name, [reads, writes, sectorsRead * SECTOR_BYTES, sectorsWritten * SECTOR_BYTES])
  })
  return disks
}

/**
 * Whether a device is a whole physical disk, by the target of its entry in /sys/block (undefined for partitions). Devices below
 * /devices/virtual (dm, md, loop, ram, zram, zvol) pass their I/O to disks that are counted themselves. The multipath head of NVMe is
 * there too, but is the disk; its paths are hidden.
 */
export function isPhysicalDisk(link: string | undefined, isHidden: boolean): boolean {
  if (link === undefined || isHidden) return false
  return !link.includes('/devices/virtual/') || link.includes('/devices/virtual/nvme-subsystem/')
}

/** Decides by the name alone, where /sys is not mounted. */
export function isDiskName(name: string): boolean {
  return /^(?:[shv]d[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+|dasd[a-z]+)$/.test(name)
}

/** Rates of all whole physical disks, summed; owns the baseline. */
export class DiskSampler {
  readonly #blockFolder: string
  readonly #hasSys: boolean
  #kinds = new Map<string, boolean>()
  #kindsUntilMs = 0
  #previous: DeviceReading | undefined

  constructor(sysRoot: string) {
    this.#blockFolder = `${sysRoot}/block`
    this.#hasSys = existsSync(this.#blockFolder)
  }

  read(text: string | undefined, atMs: number, maxGapMs: number): Measured<'disk'> {
    if (text === undefined) return {}
    if (atMs >= this.#kindsUntilMs) {
      this.#kinds = new Map()
      this.#kindsUntilMs = atMs + KIND_LIFETIME_MS
    }
    const current = { atMs, devices: parseDiskstats(text, (name) => this.#isCounted(name)) }
    const rates = deviceRates(this.#previous, current, maxGapMs)
    this.#previous = current
    return {
      read_iops: sumRates(rates, READS),
      write_iops: sumRates(rates, WRITES),
      read_throughput_bps: sumRates(rates, READ_BYTES),
      write_throughput_bps: sumRates(rates, WRITTEN_BYTES),
    }
  }

  #isCounted(name: string): boolean {
    const cached = this.#kinds.get(name)
    if (cached !== undefined) return cached
    const isCounted = this.#hasSys ? this.#isPhysical(name) : isDiskName(name)
    this.#kinds.set(name, isCounted)
    return isCounted
  }

  #isPhysical(name: string): boolean {
    // A slash in a device's name (cciss/c0d0) is written as an exclamation mark in /sys.
    const entry = `${this.#blockFolder}/${name.replaceAll('/', '!')}`
    let link: string
    try {
      link = readlinkSync(entry)
    } catch {
      return false
    }
    return isPhysicalDisk(link, isHidden(entry))
  }
}

function isHidden(entry: string): boolean {
  try {
    return readFileSync(`${entry}/hidden`, 'latin1').startsWith('1')
  } catch {
    // Kernels before 4.15 have neither this file nor hidden disks.
    return false
  }
}
