/**
 * Pings of real sockets, in a network namespace of its own that lets everyone open them: `unshare -rn node in-namespace.ts`. Prints the
 * results as one line of JSON.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createProber } from '../../../index.ts'
import { defineCheck } from '../../../test/define-check.ts'
import { examinePing } from '../examine.ts'

execFileSync('ip', ['link', 'set', 'lo', 'up'])
const closed = await examinePing({})
// Only group 0 exists in this user namespace.
writeFileSync('/proc/sys/net/ipv4/ping_group_range', '0 0')
const hosts = spawn(process.execPath, [new URL('./lossy-host.ts', import.meta.url).pathname], {
  stdio: ['pipe', 'pipe', 'inherit'],
})
await once(hosts.stdout, 'data')
const prober = createProber({ allowPrivateTargets: 'all' })
const check = (url: string, packets: number, timeout = 5) => prober.check(defineCheck('icmp', url, { packets }, { timeout }))
const results = {
  ipv4: await check('icmp://127.0.0.1', 3),
  ipv6: await check('icmp://[::1]', 3),
  lossy: await check('icmp://10.9.0.2', 4),
  slow: await check('icmp://10.9.0.3', 4),
  silent: await check('icmp://10.9.0.4', 2, 1),
  disordered: await check('icmp://10.9.0.5', 2),
  unreachable: await check('icmp://203.0.113.1', 1),
  many: await Promise.all(Array.from({ length: 90 }, (_, n) => check(`icmp://127.0.1.${n}`, 10))),
}
prober.close()
console.log(JSON.stringify({ closed, opened: await examinePing({}), ...results }))
process.exit()
