/** Checks over the inherited sockets of the settings, as `vedette` makes them. Prints the results as one line of JSON. */
import { startProberThread } from '../../../index.ts'
import { defineCheck } from '../../../test/define-check.ts'

const [icmpFd, icmp6Fd] = [Number(process.env['VEDETTE_ICMP_FD']), Number(process.env['VEDETTE_ICMP6_FD'])]
const thread = startProberThread({ allowPrivateTargets: 'all', icmpFd, icmp6Fd })
const check = (url: string) => thread.check(defineCheck('icmp', url, { packets: 10 }, { timeout: 5 }))
// More at once than the system's program allows.
const ipv4 = Array.from({ length: 60 }, (_, n) => check(`icmp://127.0.1.${n}`))
const results = await Promise.all([...ipv4, ...Array.from({ length: 60 }, () => check('icmp://[::1]'))])
console.log(JSON.stringify(results.map(({ outcome, facts }) => `${outcome} ${facts?.['packet_loss']}`)))
await thread.close()
