import { cpSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fixturePath } from '../../../agent/src/samplers/linux/fixtures.ts'

const TICKS_PER_SECOND = 100
const FIRST_PID = 1

/** How many processes use how much CPU time in a minute, in ticks. Each 20 ticks also write a page. */
const PROCESSES = [
  { count: 10, ticks: 600 },
  { count: 40, ticks: 3 },
  { count: 50, ticks: 0 },
]
const PROCESS_TICKS = PROCESSES.flatMap(({ count, ticks }) => Array.from({ length: count }, () => ticks))

function put(root: string, path: string, text: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/**
 * The files of a host of 100 processes, as an agent finds them below `host_root`: recorded ones, a sensor, and processes whose number
 * and CPU time do not depend on the machine.
 */
export function fixedHost(folder: string): string {
  const root = mkdtempSync(join(folder, 'host-'))
  const proc = join(root, 'proc')
  cpSync(fixturePath('recorded/proc'), proc, { recursive: true })
  renameSync(join(proc, 'self/mountinfo'), join(proc, '1/mountinfo'))
  renameSync(join(proc, 'net'), join(proc, '1/net'))
  mkdirSync(join(root, 'usr'))
  for (const resource of ['cpu', 'memory', 'io'])
    put(
      root,
      `proc/pressure/${resource}`,
      'some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n',
    )
  const files = {
    'proc/uptime': '4711.50 9000.00\n',
    'proc/sys/fs/file-nr': '1888\t0\t2466160\n',
    'proc/sys/kernel/threads-max': '192729\n',
    'proc/sys/kernel/pid_max': '32768\n',
    'sys/kernel/uevent_seqnum': '848\n',
    'sys/class/hwmon/hwmon0/name': 'coretemp\n',
    'sys/class/hwmon/hwmon0/temp1_input': '41000\n',
    'sys/class/hwmon/hwmon0/temp1_label': 'Core 0\n',
  }
  for (const [path, text] of Object.entries(files)) put(root, path, text)
  passMinutes(root, 0)
  return root
}

/** Writes what the processes of the host have used after so many minutes. */
export function passMinutes(root: string, minutes: number): void {
  let busy = 0
  for (const [index, ticks] of PROCESS_TICKS.entries()) {
    const pid = FIRST_PID + index
    const used = ticks * minutes
    busy += used
    const name = pid === 1 ? 'systemd' : `service-${pid}`
    const numbers = `S 1 ${pid} ${pid} 0 -1 4194560 26043 8610179 0 427 ${used} 0 38262 19094 20 0 1 0 ${pid} 10000000 ${1_000 + index}`
    put(
      root,
      `proc/${pid}/stat`,
      `${pid} (${name}) ${numbers} 18446744073709551615 1 1 0 0 0 0 0 4096 81920 0 0 0 17 1 0 0 0 0 0\n`,
    )
    const written = Math.floor(used / 20) * 4_096
    put(
      root,
      `proc/${pid}/io`,
      `rchar: 1\nwchar: 1\nsyscr: 1\nsyscw: 1\nread_bytes: 0\nwrite_bytes: ${written}\ncancelled_write_bytes: 0\n`,
    )
  }
  const idle = minutes * 60 * TICKS_PER_SECOND * 4
  const cpus = ['cpu ', 'cpu0', 'cpu1'].map((cpu) => `${cpu} ${busy} 0 0 ${idle} 0 0 0 0 0 0`)
  put(root, 'proc/stat', `${cpus.join('\n')}\nintr 1\nctxt 1\nbtime 1790000000\nprocesses 1\n`)
}
